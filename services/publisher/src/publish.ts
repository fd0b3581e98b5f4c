import { AppError } from '@herald/contracts/errors'
import type { ChannelAccess } from '@herald/contracts/channels'
import type { CommitOutcome, Connector, PublishInput } from '@herald/platforms/platform'
import { crashPointOfMany } from '@herald/service/crash-point'
import type { Attempt } from './attempt.ts'
import { beginCall, extendLease, letGo, markUnknown, saveStep } from './attempts.ts'
import type { Deps } from './deps.ts'
import { endPublished } from './ends.ts'
import { openFiles, type OpenFiles } from './files.ts'
import type { Pass, Sign } from './gate.ts'
import { countUnknown } from './metrics.ts'
import { isStillToBeCalled } from './lost-calls.ts'
import { latenessOf } from './outcomes.ts'
import { publishInput } from './publish-input.ts'
import { giveUp, REAUTH, settle } from './settle.ts'
import { settleByEarlier } from './settle-by-earlier.ts'
import { tryLater } from './try-later.ts'

/**
 * Carries out one attempt: a token, the steps before, the note that the call is made, the ONE call, and what it
 * came to. Only what certainly did not happen is tried again; a call that may have happened becomes unknown.
 */
export async function publish(deps: Deps, attempt: Attempt): Promise<void> {
  const connector = deps.connectorOf(attempt.platform)
  if (!connector) return giveUp(deps, attempt, 'unsupported', 'This platform is not supported.')
  if (Date.parse(attempt.deadline_at) <= (await databaseNow(deps)))
    return giveUp(deps, attempt, 'missed', 'The post could not be published in time.')
  if (!(await isStillToBeCalled(deps, attempt))) return
  if (await settleByEarlier(deps, attempt)) return
  const access = await getAccess(deps, attempt)
  if (!access) return
  using pass = await enter(deps, attempt, access)
  if (!pass) return
  await using opened = await getFiles(deps, attempt)
  if (!opened) return
  const { files } = opened
  const input = publishInput(attempt, access, files, deps.timing.prepareTimeoutMs)
  await crashPointOfMany('publisher.taken')
  const step = await prepare(deps, attempt, { connector, input, pass })
  if (!step) return
  await crashPointOfMany('publisher.prepared')
  const { commitTimeoutMs, leaseSeconds } = deps.timing
  const moreMs = connector.commitTimeMs?.(files) ?? 0
  const calledAt = await beginCall(deps.pool, attempt, leaseSeconds + moreMs / 1000)
  if (calledAt === undefined) return
  await crashPointOfMany('publisher.calling')
  // The call has a time of its own; what the steps before it took does not shorten it.
  const callInput = publishInput(attempt, access, files, commitTimeoutMs + moreMs)
  const outcome = await commit(connector, { ...callInput, step })
  await crashPointOfMany('publisher.called')
  const called = { ...attempt, called_at: calledAt, tries: attempt.tries + 1 }
  await record(deps, called, { token: access.token, pass }, outcome)
  await crashPointOfMany('publisher.recorded')
  await tellGate(deps, pass, signOf(outcome))
}

/** A token for the channel; without one the attempt has been ended or put off, and nothing is answered. */
async function getAccess(deps: Deps, attempt: Attempt): Promise<ChannelAccess | undefined> {
  const { organization_id: organizationId, channel_id: channelId } = attempt
  try {
    return await deps.channels.access({ organizationId, channelId })
  } catch (error) {
    const code = error instanceof AppError ? error.code : undefined
    if (code === 'reauth_required') await giveUp(deps, attempt, code, REAUTH)
    else if (code === 'not_found')
      await giveUp(deps, attempt, 'channel_disconnected', 'The channel is no longer connected.')
    else {
      deps.logger.warn({ error }, 'A token could not be had.')
      await tryLater(deps, attempt, { errorCode: 'unavailable', error: UNAVAILABLE })
    }
    return undefined
  }
}

/** The way to the platform, when calls do some good now; else the attempt has been put off. */
async function enter(
  deps: Deps,
  attempt: Attempt,
  { baseUrl }: ChannelAccess,
): Promise<Pass | undefined> {
  const { platform, channel_id: channelId } = attempt
  const entered = deps.gate.enter({ platform, channelId, baseUrl })
  if ('pass' in entered) return entered.pass
  const { scope: heldBy, until: notBefore, errorCode, error } = entered.hold
  await tryLater(deps, attempt, { errorCode, error, notBefore, heldBy })
  return undefined
}

/** Tells the gate how the platform is. Those who waited for it go on; if they cannot be told, they come by themselves. */
async function tellGate({ pool, logger }: Deps, pass: Pass, sign: Sign): Promise<void> {
  const working = pass.note(sign)
  if (working.length === 0) return
  await letGo(pool, working).catch((error: unknown) => {
    logger.warn({ error }, 'Attempts that waited for a platform could not be let go.')
  })
}

function signOf(outcome: CommitOutcome): Sign {
  switch (outcome.outcome) {
    case 'unknown':
      return outcome.isWorking ? 'works' : 'fails'
    case 'transient':
      return outcome.isOwnFault ? 'nothing' : 'fails'
    case 'published':
    case 'permanent':
    case 'unprepared':
    case 'reauth':
    case 'rate_limited':
      return 'works'
  }
}

/** The files of the post; when one is gone the attempt has been ended, when they cannot be had it has been put off. */
async function getFiles(deps: Deps, attempt: Attempt): Promise<OpenFiles | undefined> {
  const { organization_id: organizationId, media_ids: mediaIds } = attempt
  try {
    return await openFiles(deps.files, { organizationId, mediaIds })
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found')
      await giveUp(deps, attempt, 'media_missing', 'A file of the post is not there any more.')
    else {
      deps.logger.warn({ error }, 'The files of a post could not be had.')
      await tryLater(deps, attempt, { errorCode: 'unavailable', error: NO_FILES })
    }
    return undefined
  }
}

const NO_FILES = 'Herald cannot get at the files of the post right now.'
const UNAVAILABLE = 'Herald cannot get at the channel right now.'
const UNPREPARED = 'Herald could not prepare the post for the platform.'

/** The steps before the call, or nothing when they ended the attempt or put it off. */
async function prepare(
  deps: Deps,
  attempt: Attempt,
  { connector, input, pass }: { connector: Connector; input: PublishInput; pass: Pass },
): Promise<Record<string, unknown> | undefined> {
  if (attempt.step && attempt.is_prepared) return attempt.step
  const heartbeat = setInterval(
    () => void extendLease(deps.pool, attempt, deps.timing.leaseSeconds).catch(() => undefined),
    (deps.timing.leaseSeconds * 1000) / 3,
  )
  try {
    const prepared = await connector.prepare({
      ...input,
      ...(attempt.step && { step: attempt.step }),
      onStep: (step) => saveStep(deps.pool, attempt, step, false),
    })
    if (prepared.outcome === 'ready') {
      await saveStep(deps.pool, attempt, prepared.step, true)
      return prepared.step
    }
    // Nothing is live before the commit, so no outcome of a preparing step is in doubt.
    await settle(deps, attempt, { token: input.token, pass }, prepared)
    // What is refused before the call may have been refused here, which says nothing of the platform.
    await tellGate(deps, pass, prepared.outcome === 'permanent' ? 'nothing' : signOf(prepared))
    return undefined
  } catch (error) {
    deps.logger.error({ error, postId: attempt.post_id }, 'Preparing a post failed.')
    await tryLater(deps, attempt, { errorCode: 'unprepared', error: UNPREPARED })
    return undefined
  } finally {
    clearInterval(heartbeat)
  }
}

/** The one call. A connector that throws has a bug, and nobody knows how far it came. */
async function commit(
  connector: Connector,
  input: Parameters<Connector['commit']>[0],
): Promise<CommitOutcome> {
  try {
    return await connector.commit(input)
  } catch (error) {
    return { outcome: 'unknown', message: String(error) }
  }
}

async function record(
  deps: Deps,
  attempt: Attempt,
  way: { token: string; pass: Pass },
  outcome: CommitOutcome,
): Promise<void> {
  const { outcome: kind } = outcome
  deps.logger.info(
    { postId: attempt.post_id, channelId: attempt.channel_id, platform: attempt.platform, kind },
    'The platform was called.',
  )
  switch (outcome.outcome) {
    case 'published': {
      const { platformPostId, url, publishedAt } = outcome
      await endPublished(deps.pool, attempt, {
        outcome: 'published',
        platformPostId,
        url,
        publishedAt,
        latenessMs: latenessOf(attempt),
        attempts: attempt.tries,
      })
      return
    }
    case 'unknown':
      countUnknown(attempt.platform)
      return markUnknown(deps.pool, attempt, deps.timing.reconcileSeconds[0] ?? 0, outcome.step)
    case 'permanent':
    case 'unprepared':
    case 'reauth':
    case 'rate_limited':
    case 'transient':
      return settle(deps, attempt, way, outcome)
  }
}

async function databaseNow({ pool }: Deps): Promise<number> {
  const { rows } = await pool.query<{ now: string }>('select clock_timestamp() as now')
  return Date.parse(rows[0]?.now ?? '')
}
