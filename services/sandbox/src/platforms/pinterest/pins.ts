import { z } from 'zod'
import { type Answer, type Call, jsonAnswer } from '../../call.ts'
import { failureIn } from '../../fail-on-command.ts'
import { readForm } from '../../read-form.ts'
import { authenticate } from './authenticate.ts'
import { ownBoard } from './boards.ts'
import { pageAnswer } from './paging.ts'
import { refuse, refuseInvalid } from './refusals.ts'
import type { Pinterest } from './server.ts'
import { filesOf } from './sources.ts'
import type { Pin } from './state.ts'
import { pinView } from './views.ts'

/** Text of so many code points at most, as JSON Schema counts. */
const text = (maxLength: number) =>
  z
    .string()
    .refine((given) => Array.from(given).length <= maxLength, `constraint: maxLength=${maxLength}`)
    .nullish()
    .transform((given) => given || null)

const NewPin = z.object({
  board_id: z.string().regex(/^\d+$/),
  title: text(100),
  description: text(800),
  alt_text: text(500),
  link: text(2048).refine(
    (link) => link === null || (URL.canParse(link) && /^https?:/.test(link)),
    'the link is no address',
  ),
  media_source: z.unknown(),
})

/** `POST /v5/pins` */
export async function createPin(pinterest: Pinterest, call: Call): Promise<Answer> {
  const account = authenticate(
    pinterest,
    call,
    'boards:read',
    'boards:write',
    'pins:read',
    'pins:write',
  )
  const given = NewPin.safeParse((await readForm(call))?.fields)
  if (!given.success) {
    const [issue] = given.error.issues
    refuseInvalid(`'${issue?.path.join('.')}' is not valid: ${issue?.message}`)
  }
  const { board_id, title, description, alt_text, link, media_source } = given.data
  const failure = failureIn(description ?? '')
  if (failure !== null) refuseInvalid(`the pin is refused: ${failure}`)
  const board = ownBoard(pinterest, account, board_id)
  const pin: Pin = {
    files: await filesOf(pinterest, account, media_source),
    id: pinterest.newId(),
    accountId: account.id,
    boardId: board.id,
    title,
    description,
    altText: alt_text,
    link,
    createdAt: pinterest.now(),
  }
  pinterest.record({ type: 'pin-made', pin })
  return { ...jsonAnswer(201, pinView(pinterest, pin)), applied: pin.id }
}

/** `GET /v5/boards/:id/pins`, newest first. */
export function listBoardPins(pinterest: Pinterest, call: Call): Answer {
  const account = authenticate(pinterest, call, 'boards:read', 'pins:read')
  const board = ownBoard(pinterest, account, call.params['id'] ?? '')
  const pins = newestFirst(pinterest).filter(({ boardId }) => boardId === board.id)
  return pageAnswer(call, pins, (pin) => pinView(pinterest, pin))
}

/** `GET /v5/pins`, newest first. */
export function listPins(pinterest: Pinterest, call: Call): Answer {
  const account = authenticate(pinterest, call, 'boards:read', 'pins:read')
  const pins = newestFirst(pinterest).filter(({ accountId }) => accountId === account.id)
  return pageAnswer(call, pins, (pin) => pinView(pinterest, pin))
}

/** `GET /v5/pins/:id` */
export function showPin(pinterest: Pinterest, call: Call): Answer {
  const account = authenticate(pinterest, call, 'boards:read', 'pins:read')
  const pin = pinterest.state.pins.get(call.params['id'] ?? '')
  if (pin?.accountId !== account.id) refuse(404, 50, 'Pin not found.')
  return jsonAnswer(200, pinView(pinterest, pin))
}

function newestFirst({ state }: Pinterest): Pin[] {
  return [...state.pins.values()].toReversed()
}
