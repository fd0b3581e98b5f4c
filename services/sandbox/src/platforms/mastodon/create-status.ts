import { z } from 'zod'
import { type Answer, type Call, jsonAnswer } from '../../call.ts'
import { failureIn } from '../../fail-on-command.ts'
import { readForm } from '../../read-form.ts'
import { authenticateAccount } from './authenticate.ts'
import { countText } from './count-text.ts'
import type { Instance } from './instance.ts'
import { LIMITS } from './limits.ts'
import { refuse, refuseInvalid } from './refusals.ts'
import { keyOf, type Media, type Status, Visibility } from './state.ts'
import { isReady, isRemoved, statusView } from './views.ts'

const KEY_LASTS_MS = 3_600_000

const scalar = z.union([z.string(), z.number(), z.boolean()]).transform(String)

/** What is of another shape is as good as absent, as with Rails' permitted parameters. */
const Fields = z.object({
  status: scalar.catch(''),
  spoiler_text: scalar.catch(''),
  media_ids: z.array(scalar).catch([]),
  visibility: scalar.catch('public'),
  sensitive: scalar.transform((text) => text === 'true' || text === '1').catch(false),
  language: z
    .string()
    .regex(/^[a-z]{2,3}(-[A-Za-z]{2,4})?$/)
    .nullable()
    .catch(null),
  in_reply_to_id: scalar.nullable().catch(null),
  scheduled_at: z.unknown().optional(),
  poll: z.unknown().optional(),
})
type Fields = z.infer<typeof Fields>

/** `POST /api/v1/statuses`. The same `Idempotency-Key` of the same account is answered with the first status for an hour. */
export async function createStatus(instance: Instance, call: Call): Promise<Answer> {
  const { account, token } = authenticateAccount(instance, call, ['write:statuses'])
  const form = await readForm(call)
  if (!form) refuse(400, 'Bad Request')
  const fields = Fields.parse(form.fields)
  if (fields.scheduled_at !== undefined || fields.poll !== undefined)
    refuse(422, 'The sandbox has neither scheduled statuses nor polls')
  const { in_reply_to_id: inReplyToId } = fields
  if (inReplyToId !== null && !instance.state.statuses.has(inReplyToId))
    refuse(404, 'The post you are trying to reply to does not appear to exist.')
  const idempotencyKey = idempotencyKeyOf(call) ?? null
  const repeated = findRepeated(instance, account.id, idempotencyKey)
  if (repeated) return jsonAnswer(200, statusView(instance, repeated))
  const media = checkMedia(instance, account.id, fields.media_ids)
  const status: Status = {
    id: instance.newId(),
    accountId: account.id,
    appId: token.appId,
    ...checkText(fields, media),
    mediaIds: media.map(({ id }) => id),
    inReplyToId,
    idempotencyKey,
    createdAt: new Date(instance.now()).toISOString(),
  }
  instance.record({ type: 'status-posted', status })
  return { ...jsonAnswer(200, statusView(instance, status)), applied: status.id }
}

export function idempotencyKeyOf({ headers }: Call): string | undefined {
  const key = headers['idempotency-key']
  return typeof key === 'string' && key !== '' ? key : undefined
}

function findRepeated(
  instance: Instance,
  accountId: string,
  idempotencyKey: string | null,
): Status | undefined {
  const status = instance.state.byKey.get(keyOf({ accountId, idempotencyKey }))
  const isYoung = status && instance.now() - Date.parse(status.createdAt) < KEY_LASTS_MS
  return idempotencyKey !== null && isYoung ? status : undefined
}

function checkMedia(instance: Instance, accountId: string, ids: string[]): Media[] {
  if (ids.length > LIMITS.attachments)
    refuse(422, `Cannot attach more than ${LIMITS.attachments} files`)
  const media = ids.flatMap((id) => instance.state.media.get(id) ?? [])
  const free = media.filter(
    (one) => one.accountId === accountId && one.statusId === undefined && !isRemoved(instance, one),
  )
  const missing = ids.filter((id) => !free.some((one) => one.id === id))
  if (missing.length > 0)
    refuse(422, `Media ${missing.join(', ')} not found or already attached to another post`)
  if (free.length > 1 && free.some(({ type }) => type !== 'image'))
    refuse(422, 'Cannot attach a video to a post that already contains images')
  if (!free.every((one) => isReady(instance, one)))
    refuse(422, 'Cannot attach files that have not finished processing. Try again in a moment!')
  return free
}

/** A warning without a text is the text. */
function checkText(fields: Fields, media: Media[]) {
  const visibility = Visibility.safeParse(fields.visibility)
  if (!visibility.success) refuseInvalid('Visibility is not included in the list')
  const [status, warning] = [fields.status.trim(), fields.spoiler_text.trim()]
  const text = status === '' && media.length === 0 ? warning : status
  const failure = failureIn(text)
  if (failure !== null) refuseInvalid(failure)
  const spoilerText = text === warning && status === '' ? '' : warning
  if (text === '' && media.length === 0) refuseInvalid("Text can't be blank")
  if (countText(text, spoilerText) > LIMITS.characters)
    refuseInvalid(`Text character limit of ${LIMITS.characters} exceeded`)
  return {
    text,
    spoilerText,
    visibility: visibility.data,
    language: fields.language ?? 'en',
    sensitive: fields.sensitive || warning !== '',
  }
}
