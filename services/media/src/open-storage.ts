import type { Logger } from '@herald/service/logger'
import { createDiskStorage } from '@herald/storage/disk-storage'
import { createS3Storage } from '@herald/storage/s3-storage'
import type { Storage } from '@herald/storage/storage'
import type { RequestListener } from 'node:http'
import type { MediaConfig } from './config.ts'

export type OpenStorage = {
  storage: Storage
  /** Takes the bytes of uploads, where storage does not do that itself. */
  uploads?: RequestListener
  /** Origins that belong to storage, from which nothing is imported. */
  origins: string[]
}

/** Opens the storage that the settings name; `uploadsUrl` is where uploads to a folder are taken. */
export async function openStorage(
  config: MediaConfig,
  uploadsUrl: () => string,
  logger: Logger,
): Promise<OpenStorage> {
  if (config.STORAGE === 'disk') {
    const storage = createDiskStorage({
      folder: required(config.STORAGE_DIR),
      publicUrl: uploadsUrl,
      accessKey: 'herald',
      secretKey: required(config.STORAGE_SIGNING_KEY),
      onError: (error) => logger.error({ error }, 'An upload could not be written.'),
    })
    return { storage, uploads: storage.handleUpload, origins: [] }
  }
  const endpoint = required(config.S3_ENDPOINT)
  const publicEndpoint = config.S3_PUBLIC_ENDPOINT ?? endpoint
  const storage = createS3Storage({
    endpoint,
    publicEndpoint,
    region: config.S3_REGION,
    bucket: config.S3_BUCKET,
    accessKey: required(config.S3_ACCESS_KEY),
    secretKey: required(config.S3_SECRET_KEY),
    ifNoneMatch: config.S3_IF_NONE_MATCH,
  })
  await storage.ensureBucket().catch((error: unknown) => {
    logger.warn({ error }, 'The bucket could not be looked for yet.')
  })
  return { storage, origins: [endpoint, publicEndpoint] }
}

/** The configuration has been checked for what each kind of storage needs. */
function required(value: string | undefined): string {
  if (value === undefined) throw new Error('A setting of the storage is missing.')
  return value
}
