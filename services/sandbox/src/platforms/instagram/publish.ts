import { type Answer, type Call, jsonAnswer } from '../../call.ts'
import { ownAccount } from '../../graph/access.ts'
import { type Container, refuseQuota } from '../../graph/containers.ts'
import { refuse, refuseParameter } from '../../graph/errors.ts'
import { fieldsOf } from '../../graph/fields.ts'
import { refuseNotReady } from './make-container.ts'
import { type Instagram, SCOPES } from './profile.ts'

export const QUOTA = 50

/** `POST /:user/media_publish`: makes a finished container live, once. */
export function publish(instagram: Instagram, call: Call): Answer {
  const account = ownAccount(instagram.provider, call, SCOPES)
  const container = readyContainer(instagram, account.id, creationIdOf(call))
  if (instagram.containers.quotaUsed(account.id) >= QUOTA)
    refuseQuota(
      'You reached maximum number of posts that is allowed to be published by Content Publishing API.',
    )
  const post = instagram.containers.publish(container)
  return { ...jsonAnswer(200, { id: post.id }), applied: post.id }
}

export function creationIdOf(call: Call): string | undefined {
  return fieldsOf(call)['creation_id']
}

function readyContainer(
  { containers }: Instagram,
  accountId: string,
  id: string | undefined,
): Container {
  if (id === undefined) refuseParameter('The parameter creation_id is required')
  const container = containers.find(id)
  if (!container || container.accountId !== accountId || container.isItem) refuseGone(id)
  switch (containers.statusOf(container)) {
    case 'FINISHED':
      return container
    case 'IN_PROGRESS':
    case 'ERROR':
      return refuseNotReady()
    case 'EXPIRED':
    case 'PUBLISHED':
      return refuseGone(id)
  }
}

function refuseGone(id: string): never {
  refuse({
    message: 'The requested resource does not exist',
    code: 24,
    subcode: 2207008,
    isTransient: false,
    userTitle: 'Media Builder Not Found',
    userMessage: `The media builder with creation id = ${id} does not exist or has been expired.`,
  })
}

/** `GET /:user/content_publishing_limit` */
export function showQuota(instagram: Instagram, call: Call): Answer {
  const account = ownAccount(instagram.provider, call, SCOPES)
  const quota = {
    quota_usage: instagram.containers.quotaUsed(account.id),
    config: { quota_total: QUOTA, quota_duration: 86_400 },
  }
  return jsonAnswer(200, { data: [quota] })
}
