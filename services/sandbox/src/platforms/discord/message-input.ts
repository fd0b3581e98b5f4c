import { z } from 'zod'
import type { Call } from '../../call.ts'
import { describe } from '../../fetch-file.ts'
import { type Form, readForm, type UploadedFile } from '../../read-form.ts'
import { LIMITS } from './limits.ts'
import { refuse, refuseField, refuseLength } from './refusals.ts'
import type { Discord } from './server.ts'
import type { Attachment } from './state.ts'

/** Previews of links are not shown, and nobody is notified: the only flags that can be set. */
const SETTABLE_FLAGS = (1 << 2) | (1 << 12)

/** What a message is made of. A field of another type is told by its path. */
const Fields = z.object({
  content: z.string().nullish(),
  nonce: z.union([z.string(), z.int()]).nullish(),
  enforce_nonce: z.boolean().nullish(),
  tts: z.boolean().nullish(),
  flags: z.int().nullish(),
  embeds: z.array(z.record(z.string(), z.unknown())).nullish(),
  allowed_mentions: z
    .looseObject({ parse: z.array(z.enum(['roles', 'users', 'everyone'])).nullish() })
    .nullish(),
  attachments: z
    .array(
      z.object({
        id: z.union([z.int().nonnegative(), z.string().regex(/^\d+$/)]).transform(String),
        filename: z.string().nullish(),
        description: z.string().nullish(),
      }),
    )
    .nullish(),
})
type Fields = z.infer<typeof Fields>

export type MessageInput = {
  content: string
  flags: number
  nonce: string | null
  /** Whether a message with the same nonce is to be answered instead. */
  isUnique: boolean
  attachments: Attachment[]
}

/** Reads and checks the JSON of a message, alone or as `payload_json` of a form with its files. */
export async function readMessage(discord: Discord, call: Call): Promise<MessageInput> {
  const form = await readForm(call)
  if (!form) refuse(400, 50109, 'The request body contains invalid JSON.')
  const fields = readFields(form)
  const { content, nonce } = fields
  const text = (content ?? '').trim()
  if (Array.from(text).length > LIMITS.characters) refuseLength(['content'], LIMITS.characters)
  if (nonce !== null && nonce !== undefined && String(nonce).length > LIMITS.nonceCharacters)
    refuseLength(['nonce'], LIMITS.nonceCharacters)
  const flags = fields.flags ?? 0
  if ((flags & ~SETTABLE_FLAGS) !== 0)
    refuseField(['flags'], 'INVALID_FLAGS', 'Only some flags can be set on a message.')
  const attachments = readAttachments(discord, fields, form.files)
  if (text === '' && attachments.length === 0 && (fields.embeds ?? []).length === 0)
    refuse(400, 50006, 'Cannot send an empty message')
  return {
    content: text,
    flags,
    nonce: nonce === null || nonce === undefined ? null : String(nonce),
    isUnique: fields.enforce_nonce ?? false,
    attachments,
  }
}

function readFields({ fields }: Form): Fields {
  const parsed = Fields.safeParse(payloadOf(fields))
  if (parsed.success) return parsed.data
  const path = parsed.error.issues[0]?.path.map(String) ?? []
  refuseField(path, 'BASE_TYPE_BAD_TYPE', 'The value has a wrong type.')
}

function payloadOf({ payload_json: json, ...fields }: Record<string, unknown>): unknown {
  if (typeof json !== 'string') return fields
  try {
    return JSON.parse(json)
  } catch {
    return refuse(400, 50109, 'The request body contains invalid JSON.')
  }
}

/** Files are `files[0]`, `files[1]` …, and `attachments` may say more of each by its number. */
function readAttachments(
  discord: Discord,
  { attachments }: Fields,
  files: Record<string, UploadedFile>,
): Attachment[] {
  const sent = Object.entries(files).flatMap(([name, file]) => {
    const number = /^files\[(\d+)\]$/.exec(name)?.[1]
    return number === undefined ? [] : [{ number, file }]
  })
  if (Math.max(sent.length, attachments?.length ?? 0) > LIMITS.attachments)
    refuseLength(['attachments'], LIMITS.attachments)
  const unsent = (attachments ?? []).findIndex(
    ({ id }) => !sent.some(({ number }) => number === id),
  )
  if (unsent >= 0)
    refuseField(
      ['attachments', String(unsent), 'id'],
      'UNKNOWN_ATTACHMENT',
      'There is no file with this number.',
    )
  return sent.map(({ number, file }, index) => {
    const said = attachments?.find(({ id }) => id === number)
    const description = said?.description || null
    if (Array.from(description ?? '').length > LIMITS.descriptionCharacters)
      refuseLength(['attachments', String(index), 'description'], LIMITS.descriptionCharacters)
    return keepFile(discord, file, said?.filename || file.fileName, description, index)
  })
}

function keepFile(
  discord: Discord,
  { bytes, mimeType: said }: UploadedFile,
  fileName: string,
  description: string | null,
  index: number,
): Attachment {
  if (bytes.length > LIMITS.fileBytes) refuse(413, 40005, 'Request entity too large')
  const { mimeType, width, height } = describe(bytes, said)
  return {
    // The message is made next, so its own id is the one after those of its files.
    id: String(BigInt(discord.newId()) + BigInt(index)),
    fileName: fileName.replace(/[^\w.-]/g, '_') || 'unknown',
    description,
    mimeType,
    sizeBytes: bytes.length,
    sha256: discord.files.put(bytes),
    width,
    height,
  }
}
