import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { AppError } from '@herald/contracts/errors'
import type { media, StoredMedia } from '@herald/contracts/media'
import type { Client } from '@herald/contracts/rpc'
import type { MediaWorkers } from '@herald/media-files/media-workers'
import { makeWorkFolder, removeWorkFolder, type WorkFolders } from '@herald/media-files/work-folder'
import { UnreadableFile } from '@herald/media-files/unreadable-file'
import {
  FileUnavailable,
  FileUnfit,
  type HostedImage,
  type ImageLimits,
  type PublishFile,
} from '@herald/platforms/platform'
import { fetchFile } from './fetch-file.ts'

export type FilesDeps = {
  media: Pick<Client<typeof media>, 'getForPublishing' | 'rendition'>
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
  const workFolder = () =>
    (folder ??= makeWorkFolder(deps.workFolders).catch((error: unknown) => {
      folder = undefined
      throw error
    }))
  return {
    files: data.map((stored) => publishFile(deps, organizationId, stored, workFolder)),
    [Symbol.asyncDispose]: async () => {
      if (folder) await removeWorkFolder(await folder)
    },
  }
}

function publishFile(
  deps: FilesDeps,
  organizationId: string,
  stored: StoredMedia,
  workFolder: () => Promise<string>,
): PublishFile {
  const { path, sha256: _sha256, ...facts } = stored
  const open = (): Promise<Readable> => fetchFile(deps.filesUrl + path, stored)
  let onDisk: Promise<string> | undefined
  const downloaded = () =>
    (onDisk ??= download(open, workFolder).catch((error: unknown) => {
      onDisk = undefined
      throw error
    }))
  return {
    ...facts,
    open,
    slice: async (start, end) => {
      requireWithin(start, end, stored.sizeBytes)
      return readSlice(await downloaded(), start, end)
    },
    imageUrl: (limits) => hostedImage(deps.media, { organizationId, mediaId: stored.id, limits }),
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
        throw error instanceof UnreadableFile ? unfit(error) : notNow(error)
      }
    },
  }
}

async function download(
  open: () => Promise<Readable>,
  workFolder: () => Promise<string>,
): Promise<string> {
  const body = await open()
  try {
    const place = join(await workFolder(), randomUUID())
    await pipeline(body, createWriteStream(place))
    return place
  } catch (error) {
    body.destroy()
    throw error instanceof FileUnavailable ? error : notNow(error)
  }
}

/** A connector that asks for what is not in the file has miscounted, and would send something broken. */
function requireWithin(start: number, end: number, sizeBytes: number): void {
  const isWithin = Number.isInteger(start) && Number.isInteger(end) && 0 <= start && start <= end
  if (!isWithin || end > sizeBytes)
    throw new RangeError(`There are no bytes ${start} to ${end} in a file of ${sizeBytes}.`)
}

async function readSlice(path: string, start: number, end: number): Promise<Uint8Array> {
  if (start === end) return new Uint8Array()
  return buffer(createReadStream(path, { start, end: end - 1 })).catch((error: unknown) => {
    throw notNow(error)
  })
}

/** The media service makes the picture, or knows that the file fits as it is. */
async function hostedImage(
  { rendition }: FilesDeps['media'],
  wanted: { organizationId: string; mediaId: string; limits: ImageLimits },
): Promise<HostedImage> {
  const { mimeTypes, ...most } = wanted.limits
  try {
    return await rendition({ ...wanted, limits: { ...most, mimeTypes: [...mimeTypes] } })
  } catch (error) {
    const code = error instanceof AppError ? error.code : undefined
    if (code === 'validation_failed') throw unfit(error)
    throw code === 'not_found' ? gone(error) : notNow(error)
  }
}

function unfit(cause: unknown): FileUnfit {
  return new FileUnfit('The picture cannot be made to fit the platform.', { cause })
}

function gone(cause: unknown): FileUnavailable {
  const message = 'A file of the post is not there any more.'
  return new FileUnavailable(message, { retryable: false, cause })
}

function notNow(cause: unknown): FileUnavailable {
  const message = 'Herald cannot get at a file of the post right now.'
  return new FileUnavailable(message, { retryable: true, cause })
}
