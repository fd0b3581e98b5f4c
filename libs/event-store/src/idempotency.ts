import { createHash, randomUUID } from 'node:crypto'
import { AppError } from '@herald/contracts/errors'
import type { Replayable } from '@herald/contracts/idempotency'
import { canonicalJson } from '@herald/service/canonical-json'
import type { Pool } from 'pg'
import type { Rider } from './append.ts'
import { RiderRefused } from './errors.ts'
import { acrossOrganizations, forOrganization, type Queryable } from './organization.ts'

/** What a request carries that may come again: whose it is, and what they named it. */
export type RepeatableRequest = {
  caller: { organizationId: string; actor: string }
  idempotencyKey?: string | undefined
}

/** The statements that keep an answer. They must ride with the effect that the answer tells of. */
export type KeepAnswer<Answer> = (answer: Answer) => readonly Rider[]

type Claim = {
  organizationId: string
  actor: string
  key: string
  fingerprint: string
  /** Tells this claim from a later one on the same key. */
  token: string
}

/** A claim is free again this long after its process died. */
const LEASE = '15 seconds'
const RENEW_EVERY_MS = 5_000
const KEPT_FOR = '24 hours'
const KEEP_ANSWER = 'keep_answer'

/**
 * Carries a request out once, however often it comes with the same key within 24 hours: the first answer is given
 * again, and says `isReplay`. A request without a key is simply carried out. Another request under the key is 422
 * `validation_failed`; one that comes while the first is under way is 409 `conflict` with the reason
 * `idempotency_in_progress`. What is thrown is not kept: there was no effect, so the next one is carried out.
 *
 * The key is claimed before the work. The answer is kept by the statement that has the effect, which is refused when the
 * claim was lost; so after a crash there is both, or neither and a claim that ends by itself.
 */
export async function once<Request extends RepeatableRequest, Answer extends object>(
  pool: Pool,
  operation: string,
  request: Request,
  carryOut: (keep: KeepAnswer<Answer>) => Promise<Answer>,
): Promise<Replayable<Answer>> {
  const claim = claimOf(operation, request)
  if (!claim) return carryOut(() => [])
  const door = forOrganization(pool, claim.organizationId)
  const earlier = await take<Answer>(door, claim)
  if (earlier) return replay(earlier)
  const renewing = setInterval(() => void renew(door, claim), RENEW_EVERY_MS)
  try {
    const answer = await carryOut((kept) => [keepAnswer(claim, kept)])
    // What ended without an effect has kept nothing so far. If that fails now, it is carried out again without harm.
    await door.query(KEEP, keepValues(claim, answer)).catch(() => undefined)
    return answer
  } catch (error) {
    // A claim that cannot be given back ends by itself.
    await release(door, claim).catch(() => undefined)
    if (!isClaimLost(error)) throw error
    const answered = await findAnswer<Answer>(door, claim)
    if (answered) return replay(answered)
    throw inProgress(error)
  } finally {
    clearInterval(renewing)
  }
}

/** Whether an append was refused because somebody else carries the request out by now. Leave that to `once`. */
export function isClaimLost(error: unknown): boolean {
  return error instanceof RiderRefused && error.rider === KEEP_ANSWER
}

/** Forgets keys that are free again. Answers how many. */
export async function forgetFreeKeys(pool: Pool): Promise<number> {
  const { rowCount } = await acrossOrganizations(pool).query(
    'delete from idempotency_keys where held_until <= clock_timestamp()',
  )
  return rowCount ?? 0
}

function claimOf(operation: string, request: RepeatableRequest): Claim | undefined {
  const { caller, idempotencyKey: key, ...asked } = request
  if (key === undefined) return undefined
  const { organizationId, actor } = caller
  const fingerprint = createHash('sha256')
    .update(canonicalJson([operation, asked]))
    .digest('base64url')
  return { organizationId, actor, key, fingerprint, token: randomUUID() }
}

/** Claims the key, unless there is an answer under it already. */
async function take<Answer>(door: Queryable, claim: Claim): Promise<Answer | undefined> {
  for (;;) {
    const { organizationId, actor, key, fingerprint, token } = claim
    const { rowCount } = await door.query({
      name: 'claim_idempotency_key',
      text: CLAIM,
      values: [organizationId, actor, key, fingerprint, token],
    })
    if (rowCount === 1) return undefined
    const held = await find<Answer>(door, claim)
    // It may have become free between the two looks.
    if (!held) continue
    if (held.fingerprint !== fingerprint) throw reused()
    if (held.answer === null) throw inProgress()
    return held.answer
  }
}

async function findAnswer<Answer>(door: Queryable, claim: Claim): Promise<Answer | undefined> {
  const held = await find<Answer>(door, claim)
  return held?.fingerprint === claim.fingerprint ? (held.answer ?? undefined) : undefined
}

async function find<Answer>(door: Queryable, { organizationId, actor, key }: Claim) {
  const { rows } = await door.query<{ fingerprint: string; answer: Answer | null }>({
    name: 'find_idempotency_key',
    text: `select fingerprint, answer from idempotency_keys
           where organization_id = $1 and actor = $2 and key = $3 and held_until > clock_timestamp()`,
    values: [organizationId, actor, key],
  })
  return rows[0]
}

/** Rides with the effect; refuses it when the claim is no longer ours. */
function keepAnswer(claim: Claim, answer: object): Rider {
  return { name: KEEP_ANSWER, required: true, sql: KEEP, values: keepValues(claim, answer) }
}

function keepValues({ organizationId, actor, key, token }: Claim, answer: object): unknown[] {
  return [organizationId, actor, key, token, JSON.stringify(answer)]
}

/** A renewal that fails is like a crash: another may claim the key, and then our append is refused. */
async function renew(door: Queryable, { organizationId, actor, key, token }: Claim): Promise<void> {
  await door
    .query(
      `update idempotency_keys set held_until = clock_timestamp() + interval '${LEASE}' where ${OURS}`,
      [organizationId, actor, key, token],
    )
    .catch(() => undefined)
}

async function release(
  door: Queryable,
  { organizationId, actor, key, token }: Claim,
): Promise<void> {
  await door.query(`delete from idempotency_keys where ${OURS}`, [
    organizationId,
    actor,
    key,
    token,
  ])
}

function replay<Answer>(answer: Answer): Replayable<Answer> {
  return { ...answer, isReplay: true }
}

function reused(): AppError {
  return new AppError('validation_failed', 'This Idempotency-Key was used for another request.', {
    details: { reason: 'idempotency_key_reused' },
  })
}

function inProgress(cause?: unknown): AppError {
  return new AppError('conflict', 'A request with this Idempotency-Key is still under way.', {
    details: { reason: 'idempotency_in_progress' },
    cause,
  })
}

const OURS = 'organization_id = $1 and actor = $2 and key = $3 and token = $4 and answer is null'

const CLAIM = `
  insert into idempotency_keys as held (organization_id, actor, key, fingerprint, token, held_until)
  values ($1, $2, $3, $4, $5, clock_timestamp() + interval '${LEASE}')
  on conflict (organization_id, actor, key) do update
  set fingerprint = excluded.fingerprint, token = excluded.token, held_until = excluded.held_until, answer = null
  where held.held_until <= clock_timestamp()`

const KEEP = `
  update idempotency_keys set answer = $5::json, held_until = clock_timestamp() + interval '${KEPT_FOR}'
  where ${OURS} returning 1`
