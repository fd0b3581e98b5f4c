import { MAX_STORED_BYTES } from '@herald/contracts/media'
import { serviceEnv } from '@herald/service/config'
import { z } from 'zod'
import { describerEnv } from './describe/describer.ts'

const Whole = z.coerce.number().int().min(0)
/** In the form in which it stands on the wire, which is ASCII. */
const Origin = z
  .url({ protocol: /^https?$/ })
  .transform((url) => new URL(url).href.replace(/\/+$/, ''))
const Flag = z
  .enum(['true', 'false'])
  .default('false')
  .transform((text) => text === 'true')
const Ports = z
  .string()
  .default('80,443')
  .transform((text) => text.split(',').map(Number))
  .pipe(z.array(z.int().min(1).max(65_535)).min(1))

/** Where files are kept: in a folder, or in a store that speaks S3. */
const storageEnv = {
  STORAGE: z.enum(['disk', 's3']),
  /** For `disk`: the folder, and the key that upload addresses are signed with. */
  STORAGE_DIR: z.string().min(1).optional(),
  STORAGE_SIGNING_KEY: z.string().min(32).optional(),
  /** For `s3`: where this service reaches the store, and where clients do. */
  S3_ENDPOINT: Origin.optional(),
  S3_PUBLIC_ENDPOINT: Origin.optional(),
  S3_REGION: z.string().min(1).default('us-east-1'),
  S3_BUCKET: z.string().min(3).default('herald-media'),
  S3_ACCESS_KEY: z.string().min(1).optional(),
  S3_SECRET_KEY: z.string().min(1).optional(),
  /** Whether the store refuses a second PUT by `If-None-Match`; most do. */
  S3_IF_NONE_MATCH: z
    .enum(['true', 'false'])
    .default('true')
    .transform((text) => text === 'true'),
}

/** The settings of the media service. */
export const MediaEnv = z
  .object({
    ...serviceEnv,
    ...storageEnv,
    ...describerEnv,
    NODE_ENV: z.string().optional(),
    DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }),
    DATABASE_CONNECTIONS: z.coerce.number().int().min(4).max(100).default(20),
    /** Where files are served; port 0 is any free one. In a container the host is `0.0.0.0`. */
    FILES_HOST: z.string().min(1).default('127.0.0.1'),
    FILES_PORT: Whole.max(65_535).default(8081),
    /** The address of the file server as the world sees it, on an origin that serves nothing else. */
    FILES_PUBLIC_URL: Origin.optional(),
    /** The API's own address, from which nothing is imported. */
    API_PUBLIC_URL: Origin.optional(),
    MAX_STORED_BYTES: Whole.min(1).default(MAX_STORED_BYTES),
    UPLOAD_WINDOW_SECONDS: Whole.min(1).max(86_400).default(900),
    /** Imports at a time, of all organizations together and of one. */
    IMPORTS: Whole.min(1).default(8),
    IMPORTS_PER_ORGANIZATION: Whole.min(1).default(4),
    IMPORT_PORTS: Ports,
    /** For local use: imports from private addresses and any port. Refused in production. */
    ALLOW_PRIVATE_IMPORTS: Flag,
    /** How many processes read files at a time, and where they may leave their work. */
    MEDIA_WORKERS: Whole.min(1).max(64).default(2),
    WORK_DIR: z.string().min(1).optional(),
    FFMPEG: z.string().min(1).optional(),
  })
  .superRefine((env, context) => {
    const need = (name: keyof typeof env, why: string) => {
      if (env[name] === undefined) context.addIssue({ code: 'custom', path: [name], message: why })
    }
    if (env.STORAGE === 'disk') {
      need('STORAGE_DIR', 'is needed when STORAGE is disk')
      need('STORAGE_SIGNING_KEY', 'is needed when STORAGE is disk')
    } else {
      need('S3_ENDPOINT', 'is needed when STORAGE is s3')
      need('S3_ACCESS_KEY', 'is needed when STORAGE is s3')
      need('S3_SECRET_KEY', 'is needed when STORAGE is s3')
    }
    if (env.NODE_ENV === 'production' && env.ALLOW_PRIVATE_IMPORTS)
      context.addIssue({
        code: 'custom',
        path: ['ALLOW_PRIVATE_IMPORTS'],
        message: 'is not for production',
      })
  })
export type MediaConfig = z.output<typeof MediaEnv>
