import { join } from 'node:path'
import { AppError, unavailable } from '@herald/contracts/errors'
import type { HostedPicture } from '@herald/contracts/media'
import { enterOrganization, forOrganization } from '@herald/event-store/organization'
import { UnreadableFile } from '@herald/media-files/unreadable-file'
import type { PictureFile } from '@herald/media-files/save-picture'
import { withWorkFolder } from '@herald/media-files/work-folder'
import { crashPoint } from '@herald/service/crash-point'
import { StorageMissing } from '@herald/storage/errors'
import type { Deps } from './deps.ts'
import { keepObjects, type KeptObjects, newKey } from './keep-objects.ts'
import { findReady } from './queries.ts'
import { oneAtATime } from './one-at-a-time.ts'
import { receive } from './receive.ts'
import { addRendition, findRendition, type OfFile, type Rendition } from './rendition-rows.ts'
import type { MediaRow } from './schema.ts'
import { slots } from './slots.ts'
import { inTransaction } from './transaction.ts'

/** Made at a time, of all organizations together and of one. */
const SLOTS = { most: 4, mostOfOne: 2, waitMs: 30_000 }

/**
 * Answers where a picture within a platform's limits is served; it is made when there is none. Who asks for the same at
 * the same time waits for the same; of two that are made by two processes one stays. A rendition is no file of the
 * library: it counts no bytes, and it goes when its file goes.
 */
export function renditions(deps: Deps): (wanted: OfFile) => Promise<HostedPicture> {
  const making = slots(SLOTS)
  const oneOfEach = oneAtATime<HostedPicture>()
  return async (wanted) => {
    const { organizationId, mediaId, limits } = wanted
    const known = await findKnown(deps, wanted)
    if (known) return known
    return oneOfEach(JSON.stringify([organizationId, mediaId, limits]), () =>
      making.run(organizationId, () => make(deps, wanted)),
    )
  }
}

async function findKnown(
  { store, settings }: Deps,
  wanted: OfFile,
): Promise<HostedPicture | undefined> {
  const { organizationId, mediaId } = wanted
  const rendition = await findRendition(store.pool, wanted)
  if (!rendition) return undefined
  const [file] =
    rendition.object_key === null
      ? await findReady(forOrganization(store.pool, organizationId), organizationId, [mediaId])
      : []
  const key = rendition.object_key ?? file?.object_key
  if (typeof key !== 'string') throw gone()
  const { mime_type: mimeType, width, height } = rendition
  return { url: `${settings.filesUrl}/${key}`, mimeType, width, height }
}

async function make(deps: Deps, wanted: OfFile): Promise<HostedPicture> {
  const { organizationId, mediaId } = wanted
  const [file] = await findReady(forOrganization(deps.store.pool, organizationId), organizationId, [
    mediaId,
  ])
  if (!file) throw gone()
  await withWorkFolder(deps.settings.workFolders, async (folder) => {
    const path = await fetchChecked(deps, file, folder)
    const picture = await convert(deps, path, wanted, folder)
    if (picture.path === path) await note(deps, wanted, asRendition(picture, null))
    else await keep(deps, wanted, picture)
  })
  const made = await findKnown(deps, wanted)
  if (!made) throw gone()
  return made
}

/** The very bytes that were checked when the file came. */
async function fetchChecked(deps: Deps, file: MediaRow, folder: string): Promise<string> {
  const path = join(folder, 'file')
  try {
    const { sha256 } = await receive(await deps.storage.get(file.object_key ?? ''), path)
    if (sha256 === file.sha256) return path
  } catch (error) {
    if (!(error instanceof StorageMissing)) throw error
    deps.logger.error({ error, id: file.id }, 'A file is not in storage.')
    throw gone(error)
  }
  deps.logger.error({ id: file.id }, 'A file in storage is not the one that was checked.')
  throw unavailable()
}

async function convert(
  { convertImage }: Deps,
  path: string,
  { limits }: OfFile,
  outputFolder: string,
): Promise<PictureFile> {
  try {
    return await convertImage(path, { ...limits, outputFolder })
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error
    throw new AppError('validation_failed', error.message, { cause: error })
  }
}

async function keep(deps: Deps, wanted: OfFile, picture: PictureFile): Promise<void> {
  const { path, mimeType, sizeBytes } = picture
  const key = newKey('renditions', mimeType)
  const kept = await keepObjects(deps, [{ key, path, mimeType, sizeBytes }])
  try {
    const isNoted = await note(deps, wanted, asRendition(picture, key), kept)
    if (!isNoted) await kept.abandon()
  } catch (error) {
    // Anything else may have come to its end all the same, and the object then has its owner.
    if (error instanceof AppError) await kept.abandon().catch(() => undefined)
    throw error
  }
  crashPoint('media.rendition-made')
}

/** Notes a rendition together with the end of its doom. A deletion of the file waits, or has been before. */
async function note(
  { store }: Deps,
  wanted: OfFile,
  made: Rendition,
  kept?: KeptObjects,
): Promise<boolean> {
  const { organizationId, mediaId } = wanted
  return inTransaction(store.pool, async (client) => {
    await enterOrganization(client, organizationId)
    await client.query(
      'select from streams where stream_id = $1 and organization_id = $2 for share',
      [mediaId, organizationId],
    )
    const [file] = await findReady(client, organizationId, [mediaId])
    if (!file) throw gone()
    if (!(await addRendition(client, wanted, made))) return false
    if (!kept) return true
    const { rowCount } = await client.query(kept.own.sql, [...kept.own.values])
    if (rowCount === 0) throw unavailable(new Error('The object was removed before it was owned.'))
    return true
  })
}

function asRendition(
  { mimeType, sizeBytes, width, height }: PictureFile,
  key: string | null,
): Rendition {
  return { object_key: key, mime_type: mimeType, size_bytes: sizeBytes, width, height }
}

function gone(cause?: unknown): AppError {
  return new AppError('not_found', 'The file is not there any more.', { cause })
}
