import { type Answer, type Call, jsonAnswer } from '../../call.ts'
import { ownAccount } from '../../graph/access.ts'
import { refuseQuota } from '../../graph/containers.ts'
import { refuse, refuseParameter } from '../../graph/errors.ts'
import { fieldsOf } from '../../graph/fields.ts'
import { SCOPES, type Threads } from './profile.ts'

export const QUOTA = 250

/** `POST /:user/threads_publish`: makes a finished container live, once. */
export function publish(threads: Threads, call: Call): Answer {
  const account = ownAccount(threads.provider, call, SCOPES)
  const id = creationIdOf(call)
  if (id === undefined) refuseParameter('The parameter creation_id is required')
  const container = threads.containers.find(id)
  const isReady =
    container?.accountId === account.id &&
    !container.isItem &&
    threads.containers.statusOf(container) === 'FINISHED'
  if (!isReady) refuseNotThere(id)
  if (threads.containers.quotaUsed(account.id) >= QUOTA)
    refuseQuota(`You have reached the limit of ${QUOTA} posts in 24 hours.`)
  const post = threads.containers.publish(container)
  return { ...jsonAnswer(200, { id: post.id }), applied: post.id }
}

export function creationIdOf(call: Call): string | undefined {
  return fieldsOf(call)['creation_id']
}

/** What Threads says of a container that is unknown, not finished, spent or expired. */
function refuseNotThere(id: string): never {
  refuse({
    message: 'The requested resource does not exist',
    code: 24,
    subcode: 4279009,
    isTransient: false,
    userTitle: 'Media Not Found',
    userMessage: `The media with id ${id} cannot be found.`,
  })
}

/** `GET /:user/threads_publishing_limit` */
export function showQuota(threads: Threads, call: Call): Answer {
  const account = ownAccount(threads.provider, call, SCOPES)
  const quota = {
    quota_usage: threads.containers.quotaUsed(account.id),
    config: { quota_total: QUOTA, quota_duration: 86_400 },
    reply_quota_usage: 0,
    reply_config: { quota_total: 1000, quota_duration: 86_400 },
  }
  return jsonAnswer(200, { data: [quota] })
}
