import type { FileFacts } from '@herald/media-files/inspection'
import { z } from 'zod'
import { type VisionSettings, visionDescriber } from './vision-describer.ts'

/** A file that is to be described. What takes work to get is fetched only by a describer that needs it. */
export type FileToDescribe = {
  fileName: string
  facts: FileFacts
  /** Where the file lies on this machine. */
  path: () => Promise<string>
  /** A small picture of what the file shows; null when it has none. */
  thumbnail: () => Promise<{ image: Uint8Array; mimeType: string } | null>
}

/**
 * Describes a file in one to three sentences of at most 1,000 characters; null when there is nothing to say. Fails
 * with `DescribeFailed` when a vision endpoint does, and with the error of `path` or `thumbnail` when they do.
 */
export type Describer = (file: FileToDescribe) => Promise<string | null>

const Endpoint = z
  .url({ protocol: /^https?$/, abort: true })
  .refine((text) => {
    const { username, password, search, hash } = new URL(text)
    return `${username}${password}${search}${hash}` === ''
  }, 'must not have a user, a password, a query or a fragment')
  .transform((text) => text.replace(/\/+$/, ''))

/** The settings of how files are described. */
export const describerEnv = {
  /** `local` looks at the file itself, without a network; `vision` asks a model; `off` describes nothing. */
  DESCRIBER: z.enum(['local', 'vision', 'off']).default('local'),
  /** The base address of an OpenAI-compatible API, such as `https://models.example/v1`. */
  DESCRIBER_URL: Endpoint.optional(),
  DESCRIBER_KEY: z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without spaces')
    .optional(),
  DESCRIBER_MODEL: z.string().min(1).optional(),
  DESCRIBER_TIMEOUT_SECONDS: z.coerce.number().positive().max(300).default(30),
}

/** What `describerEnv` gives. */
export type DescriberConfig = z.output<z.ZodObject<typeof describerEnv>>

export type DescriberDeps = {
  /** Describes a file of this machine from its bytes, with limits on time and memory. */
  describeFile: (path: string, facts: FileFacts) => Promise<string | null>
  fetch?: typeof fetch
}

/** The describer that the settings choose. Throws when those of the vision endpoint are not complete. */
export function describerFrom(config: DescriberConfig, deps: DescriberDeps): Describer {
  const local: Describer = async ({ path, facts }) => deps.describeFile(await path(), facts)
  switch (config.DESCRIBER) {
    case 'off':
      return async () => null
    case 'local':
      return local
    case 'vision':
      return withVision({ ...visionSettings(config), fetch: deps.fetch }, local)
  }
}

/** A model sees pictures only: what has none, such as most documents, is described by `local`. */
function withVision(settings: VisionSettings, local: Describer): Describer {
  const vision = visionDescriber(settings)
  return async (file) => {
    const picture = file.facts.type === 'document' ? null : await file.thumbnail()
    return picture ? vision.describe({ ...picture, fileName: file.fileName }) : local(file)
  }
}

function visionSettings(config: DescriberConfig): VisionSettings {
  const { DESCRIBER_URL: url, DESCRIBER_MODEL: model, DESCRIBER_KEY: key } = config
  if (url === undefined || model === undefined)
    throw new Error('DESCRIBER=vision needs DESCRIBER_URL and DESCRIBER_MODEL.')
  return { url, model, key, timeoutMs: config.DESCRIBER_TIMEOUT_SECONDS * 1000 }
}
