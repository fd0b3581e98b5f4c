import { z } from 'zod'
import { addressOf } from '../addresses.ts'
import { request } from '../http.ts'
import type { LookUpInput, LookUpOutcome } from '../platform.ts'
import { readJson } from '../read-json.ts'
import { reason } from '../refusal.ts'
import { probe, stateOf } from './session.ts'
import { readStep } from './step.ts'
import { liveOf, refusalOf, Video } from './video.ts'

const TIMEOUT_MS = 15_000

/** Asks the session of the upload whether it has become a video, and YouTube what became of that. */
export async function lookUp(input: LookUpInput): Promise<LookUpOutcome> {
  const [file] = input.media
  const step = file && readStep(input.step, file)
  if (!step) return { absent: true }
  const result = await probe(input, step.session, file.sizeBytes)
  if (result.kind !== 'response')
    return { cannotTell: `YouTube did not answer (${reason(result.error)}).` }
  const found = stateOf(result)
  switch (found.state) {
    case 'complete':
      return await judge(found.video, input)
    case 'partial':
      return { absent: true }
    case 'gone':
      return { cannotTell: 'YouTube does not know the upload any more.' }
    case 'refused':
    case 'unreadable':
      return { cannotTell: `YouTube answered with status ${result.status}.` }
  }
}

async function judge(made: Video, input: LookUpInput): Promise<LookUpOutcome> {
  const video = (await readVideo(made.id, input)) ?? made
  const refused = refusalOf(video)
  return refused ? { refused } : { found: liveOf(video, input.settings, new Date(input.calledAt)) }
}

const Videos = z.object({ items: z.array(Video) })

/** The video as it is now. The session may still tell how it was when it was made. */
async function readVideo(
  id: string,
  { settings, token, signal }: LookUpInput,
): Promise<Video | undefined> {
  const result = await request({
    method: 'GET',
    url: addressOf(settings['apiUrl'] ?? '', '/videos', { part: 'snippet,status', id }),
    headers: { authorization: `Bearer ${token}` },
    timeoutMs: TIMEOUT_MS,
    signal,
  })
  if (result.kind !== 'response' || result.status !== 200) return undefined
  return readJson(Videos, result.text)?.items.find((video) => video.id === id)
}
