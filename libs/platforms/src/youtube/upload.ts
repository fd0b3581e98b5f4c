import { addressOf } from '../addresses.ts'
import { asBody, sendFile } from '../file-upload.ts'
import { request } from '../http.ts'
import type { NotPublished, PrepareInput, PrepareResult, PublishFile } from '../platform.ts'
import { asPreparing, meaningOf, meaningOfSilence } from '../refusal.ts'
import { YOUTUBE_ERRORS } from './errors.ts'
import type { Metadata } from './metadata.ts'
import { partEnd, partHeaders, probe, stateOf, type SessionState } from './session.ts'
import { isPrepared, readStep, type Step } from './step.ts'

const TIMEOUT_MS = 30_000

/**
 * Sends all of a video but its last part, so that there is none yet. An upload that an earlier call has begun goes on
 * where YouTube says it stands. Rejects as reading the file does.
 */
export async function prepareUpload(
  input: PrepareInput,
  file: PublishFile,
  metadata: Metadata,
): Promise<PrepareResult> {
  const kept = readStep(input.step, file)
  if (kept && isPrepared(kept, file)) return { outcome: 'ready', step: kept }
  const opened =
    (kept && (await resume(input, file, kept))) ?? (await openSession(input, file, metadata))
  if (opened.outcome !== 'open') return opened
  let { step } = opened
  while (!isPrepared(step, file)) {
    const sent = await sendPart(input, file, step)
    if (sent.outcome !== 'open') return sent
    step = sent.step
    await input.onStep?.(step)
  }
  return { outcome: 'ready', step }
}

type Opened = { outcome: 'open'; step: Step } | NotPublished

/** The upload that is under way, or undefined when its session has ended. */
async function resume(
  input: PrepareInput,
  file: PublishFile,
  step: Step,
): Promise<Opened | undefined> {
  const result = await probe(input, step.session, file.sizeBytes)
  if (result.kind !== 'response') return asPreparing(meaningOfSilence(result, 'YouTube'))
  const found = stateOf(result)
  // A session that already has the whole video answers the last part with it.
  if (found.state === 'complete')
    return { outcome: 'open', step: { ...step, storedBytes: file.sizeBytes } }
  return found.state === 'gone' ? undefined : progressOf(found, step)
}

async function openSession(
  input: PrepareInput,
  file: PublishFile,
  { query, resource }: Metadata,
): Promise<Opened> {
  const result = await request({
    method: 'POST',
    url: addressOf(input.settings['uploadUrl'] ?? '', '/videos', {
      uploadType: 'resumable',
      part: 'snippet,status',
      ...query,
    }),
    headers: {
      authorization: `Bearer ${input.token}`,
      'content-type': 'application/json; charset=UTF-8',
      'x-upload-content-type': file.mimeType,
      'x-upload-content-length': String(file.sizeBytes),
    },
    body: JSON.stringify(resource),
    timeoutMs: TIMEOUT_MS,
    signal: input.signal,
  })
  if (result.kind !== 'response') return asPreparing(meaningOfSilence(result, 'YouTube'))
  if (result.status !== 200) return asPreparing(meaningOf(result, YOUTUBE_ERRORS, Date.now()))
  const step = readStep(
    { fileId: file.id, session: result.headers['location'], storedBytes: 0 },
    file,
  )
  if (!step) return { outcome: 'transient', message: UNREADABLE }
  await input.onStep?.(step)
  return { outcome: 'open', step }
}

async function sendPart(input: PrepareInput, file: PublishFile, step: Step): Promise<Opened> {
  const from = step.storedBytes
  const { sizeBytes } = file
  const end = partEnd(from, sizeBytes)
  const bytes = await file.slice(from, end)
  const sent = await sendFile(
    {
      method: 'PUT',
      url: step.session,
      headers: partHeaders(input.token, { from, end, sizeBytes }),
      body: { ...asBody(bytes), length: end - from },
      signal: input.signal,
    },
    'YouTube',
  )
  if (sent.outcome !== 'answered') return sent
  const after = progressOf(stateOf(sent.response), step)
  // It may have stored less than it was sent, and then goes on from there; but not nothing.
  return after.outcome === 'open' && after.step.storedBytes <= from
    ? { outcome: 'transient', message: 'YouTube took a part of the video and did not store it.' }
    : after
}

function progressOf(found: SessionState, step: Step): Opened {
  switch (found.state) {
    case 'partial':
      return { outcome: 'open', step: { ...step, storedBytes: found.storedBytes } }
    case 'refused':
      return asPreparing(meaningOf(found.response, YOUTUBE_ERRORS, Date.now()))
    case 'gone':
      return {
        outcome: 'transient',
        message: 'YouTube has lost the upload. It will be made again.',
      }
    case 'complete':
    case 'unreadable':
      return { outcome: 'transient', message: UNREADABLE }
  }
}

const UNREADABLE = 'YouTube took a part of the upload, but its answer is not readable.'
