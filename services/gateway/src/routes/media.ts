import { AppError } from '@herald/contracts/errors'
import type { ROUTES } from '@herald/contracts/http'
import { MediaId } from '@herald/contracts/ids'
import type { media } from '@herald/contracts/media'
import type { Client } from '@herald/contracts/rpc'
import type { Endpoint } from './endpoint.ts'

export type MediaClient = Pick<
  Client<typeof media>,
  'list' | 'import' | 'createUpload' | 'get' | 'remove' | 'complete'
>
type Routes = typeof ROUTES

/** `GET /media` */
export function listMedia(media: MediaClient): Endpoint<Routes['listMedia']> {
  return ({ caller, query }) => media.list({ caller, ...query })
}

/** `POST /media/import` */
export function importMedia(media: MediaClient): Endpoint<Routes['importMedia']> {
  return ({ caller, body, idempotencyKey }) => media.import({ caller, body, idempotencyKey })
}

/** `POST /media/uploads` */
export function createUpload(media: MediaClient): Endpoint<Routes['createUpload']> {
  return ({ caller, body, idempotencyKey }) => media.createUpload({ caller, body, idempotencyKey })
}

/** `GET /media/{id}` */
export function getMedia(media: MediaClient): Endpoint<Routes['getMedia']> {
  return ({ caller, params }) => onFile(params.id, (mediaId) => media.get({ caller, mediaId }))
}

/** `DELETE /media/{id}` */
export function deleteMedia(media: MediaClient): Endpoint<Routes['deleteMedia']> {
  return ({ caller, params, ifMatch }) =>
    onFile(params.id, (mediaId) => media.remove({ caller, mediaId, ifMatch }))
}

/** `POST /media/{id}/complete` */
export function completeUpload(media: MediaClient): Endpoint<Routes['completeUpload']> {
  return ({ caller, params, idempotencyKey }) =>
    onFile(params.id, (mediaId) => media.complete({ caller, mediaId, idempotencyKey }))
}

/** What is no media id names no file; the answer is that of the media service. */
async function onFile<T>(id: string, call: (mediaId: string) => Promise<T>): Promise<T> {
  if (!MediaId.safeParse(id).success) throw new AppError('not_found', 'There is no such file.')
  return call(id)
}
