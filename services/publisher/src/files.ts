import { randomUUID } from 'node:crypto'
import { open as openFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createWriteStream } from 'node:fs'
import type { media, StoredMedia } from '@herald/contracts/media'
import type { Client } from '@herald/contracts/rpc'
import type { MediaWorkers } from '@herald/media-files/media-workers'
import { makeWorkFolder, removeWorkFolder, type WorkFolders } from '@herald/media-files/work-folder'
import { UnreadableFile } from '@herald/media-files/unreadable-file'
import { FileUnavailable, FileUnfit, type PublishFile } from '@herald/platforms/platform'
import { fetchFile } from './fetch-file.ts'

export type FilesDeps = {
  media: Pick<Client<typeof media>, 'getForPublishing'>
  /** Where this service reaches the media service's file server, without a trailing slash. */
  filesUrl: string
  convertImage: MediaWorkers['convertImage']
  /** Where temporary files go. */
  workFolders: WorkFolders
}

/** The files of a post while it is being published. Disposing removes what was put on disk for it. */
export type OpenFiles = AsyncDisposable & { files: PublishFile[] }

/** Gives an attempt its files. Nothing is fetched before a connector asks for bytes. */
export async function openFiles(
  deps: FilesDeps,
  { organizationId, mediaIds }: { organizationId: string; mediaIds: string[] },
): Promise<OpenFiles> {
  if (mediaIds.length === 0) return { files: [], [Symbol.asyncDispose]: async () => {} }
  const { data } = await deps.media.getForPublishing({ organizationId, mediaIds })
  let folder: Promise<string> | undefined
  const workFolder = () => (folder ??= makeWorkFolder(deps.workFolders))
  return {
    files: data.map((stored) => publishFile(deps, stored, workFolder)),
    [Symbol.asyncDispose]: async () => {
      if (folder) await removeWorkFolder(await folder)
    },
  }
}

function publishFile(
  deps: FilesDeps,
  stored: StoredMedia,
  workFolder: () => Promise<string>,
): PublishFile {
  const { path, sha256: _sha256, ...facts } = stored
  const open = (): Promise<Readable> => fetchFile(deps.filesUrl + path, stored)
  let onDisk: Promise<string> | undefined
  const download = async () => {
    const place = join(await workFolder(), randomUUID())
    await pipeline(await open(), createWriteStream(place))
    return place
  }
  const downloaded = () =>
    (onDisk ??= download().catch((error: unknown) => {
      onDisk = undefined
      throw error
    }))
  return {
    ...facts,
    open,
    slice: async (start, end) => readSlice(await downloaded(), start, end),
    imageUrl: () => Promise.reject(new FileUnfit('The picture cannot be hosted for the platform.')),
    image: async (limits) => {
      const place = await downloaded()
      try {
        const made = await deps.convertImage(place, {
          ...limits,
          outputFolder: await workFolder(),
        })
        const { mimeType, width, height } = made
        return { bytes: await readFile(made.path), mimeType, width, height }
      } catch (error) {
        if (error instanceof UnreadableFile)
          throw new FileUnfit('The picture cannot be made to fit the platform.', { cause: error })
        throw new FileUnavailable('The picture could not be converted right now.', {
          retryable: true,
          cause: error,
        })
      }
    },
  }
}

async function readSlice(path: string, start: number, end: number): Promise<Uint8Array> {
  await using file = await openFile(path)
  const { bytesRead, buffer } = await file.read(Buffer.alloc(end - start), 0, end - start, start)
  return buffer.subarray(0, bytesRead)
}
