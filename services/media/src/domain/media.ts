import { AppError } from '@herald/contracts/errors'
import type { MediaType } from '@herald/contracts/media'
import type { Decider } from '@herald/event-store/decider'
import type { MediaEvent, MediaEventOf, VerifiedFile } from './events.ts'
import { evolve, type ExistingMedia, exists, type MediaState } from './state.ts'

type Facts<Type extends MediaEvent['type']> = Omit<MediaEventOf<Type>, 'type'>

export type MediaCommand =
  | ({ type: 'StartUpload' } & Facts<'UploadStarted'>)
  | ({ type: 'ImportMedia' } & Facts<'MediaImported'>)
  | { type: 'CompleteUpload'; file: VerifiedFile; now: string }
  | { type: 'ExpireUpload'; now: string }
  | { type: 'Describe'; description: string }
  | { type: 'DeleteMedia'; actor: string }

/**
 * A file: pending from the announcement of an upload, then ready or failed; ready at once when it was imported;
 * deleted from any of them (specification, "Media status").
 */
export const media: Decider<MediaState, MediaCommand, MediaEvent> = {
  initial: { status: 'absent' },
  evolve,
  decide(command, state) {
    switch (command.type) {
      case 'StartUpload': {
        const { type: _type, ...facts } = command
        requireAbsent(state)
        return [{ type: 'UploadStarted', ...facts }]
      }
      case 'ImportMedia': {
        const { type: _type, ...facts } = command
        requireAbsent(state)
        return [{ type: 'MediaImported', ...facts }]
      }
      case 'CompleteUpload':
        return complete(command.file, command.now, requireMedia(state))
      case 'ExpireUpload':
        return isOver(state, command.now) ? [{ type: 'UploadFailed' }] : []
      case 'Describe':
        return state.status === 'ready' && state.description !== command.description
          ? [{ type: 'MediaDescribed', description: command.description }]
          : []
      case 'DeleteMedia':
        requireMedia(state)
        return [{ type: 'MediaDeleted', actor: command.actor }]
    }
  },
}

function complete(file: VerifiedFile, now: string, state: ExistingMedia): MediaEvent[] {
  if (state.status === 'ready') return []
  requireOpen(state, now)
  requireSameKind(state.mediaType, file.type)
  return [{ type: 'UploadCompleted', file }]
}

/** Refuses an upload that has failed or whose window has passed. */
export function requireOpen(state: ExistingMedia, now: string): void {
  if (state.status === 'failed' || isOver(state, now))
    throw new AppError(
      'conflict',
      'The 15 minutes of this upload have passed. Start a new upload for the file.',
    )
}

/** Whether an upload still waits although its window has passed. */
export function isOver(state: MediaState, now: string): boolean {
  return state.status === 'pending' && state.expiresAt <= now
}

/** A file must be of the kind that was announced: its size limit and its use follow from that. */
export function requireSameKind(announced: MediaType, found: MediaType): void {
  if (announced === found || (isPicture(announced) && isPicture(found))) return
  throw new AppError(
    'validation_failed',
    `The upload was announced as ${article(announced)}, and the file is ${article(found)}.`,
  )
}

function isPicture(type: MediaType): boolean {
  return type === 'image' || type === 'gif'
}

function article(type: MediaType): string {
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`
}

function requireAbsent(state: MediaState): void {
  if (state.status !== 'absent') throw new AppError('conflict', 'This file exists already.')
}

/** The file, or the refusal that there is none. */
export function requireMedia(state: MediaState): ExistingMedia {
  if (exists(state)) return state
  throw new AppError('not_found', 'There is no such file.')
}
