import { z } from 'zod'
import { request } from '../http.ts'
import type { NotPublished, PublishInput } from '../platform.ts'
import { readJson } from '../read-json.ts'
import { meaningOf, meaningOfSilence } from '../refusal.ts'
import { BLUESKY_ERRORS } from './errors.ts'
import { partsOf } from './facets.ts'
import { query } from './xrpc.ts'

const TIMEOUT_MS = 5_000
const Resolved = z.object({ did: z.string().startsWith('did:') })

/**
 * The accounts behind the handles that a text mentions, by handle in lower case. A handle that does not resolve in
 * time is left out: it stays plain text rather than keeping the post back. An unreachable or overloaded server does.
 */
export async function resolveMentions(
  input: PublishInput,
): Promise<{ outcome: 'resolved'; mentions: Record<string, string> } | NotPublished> {
  const handles = new Set(
    partsOf(input.text)
      .filter(({ kind }) => kind === 'mention')
      .map(({ value }) => value.toLowerCase()),
  )
  const answers = await Promise.all(
    [...handles].map(async (handle) => ({ handle, answer: await resolveHandle(input, handle) })),
  )
  const mentions: Record<string, string> = {}
  for (const { handle, answer } of answers) {
    if (typeof answer === 'object') return answer
    if (answer !== undefined) mentions[handle] = answer
  }
  return { outcome: 'resolved', mentions }
}

/** The account's DID, undefined when there is none, or why the server cannot be asked now. */
async function resolveHandle(
  { baseUrl, signal }: PublishInput,
  handle: string,
): Promise<string | undefined | NotPublished> {
  const call = query(baseUrl, 'com.atproto.identity.resolveHandle', { handle })
  const result = await request({ ...call, timeoutMs: TIMEOUT_MS, signal })
  if (result.kind !== 'response') {
    const meaning = meaningOfSilence(result, 'Bluesky')
    return meaning.outcome === 'transient' ? meaning : undefined
  }
  if (result.status === 200) return readJson(Resolved, result.text)?.did
  const meaning = meaningOf(result, BLUESKY_ERRORS, Date.now())
  return meaning.outcome === 'rate_limited' ? meaning : undefined
}
