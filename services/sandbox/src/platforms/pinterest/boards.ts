import { z } from 'zod'
import { type Answer, type Call, jsonAnswer } from '../../call.ts'
import type { Account } from '../../oauth/state.ts'
import { readForm } from '../../read-form.ts'
import { authenticate } from './authenticate.ts'
import { pageAnswer } from './paging.ts'
import { refuse, refuseInvalid } from './refusals.ts'
import type { Pinterest } from './server.ts'
import type { Board } from './state.ts'
import { timeOf } from './views.ts'

const NewBoard = z.object({ name: z.string().trim().min(1).max(50) })

/** `GET /v5/boards` */
export function listBoards(pinterest: Pinterest, call: Call): Answer {
  const account = authenticate(pinterest, call, 'boards:read')
  return pageAnswer(call, boardsOf(pinterest, account.id), (board) => view(board, account))
}

/** `POST /v5/boards` */
export async function createBoard(pinterest: Pinterest, call: Call): Promise<Answer> {
  const account = authenticate(pinterest, call, 'boards:read', 'boards:write')
  const given = NewBoard.safeParse((await readForm(call))?.fields)
  if (!given.success) refuseInvalid("'name' is a required property")
  return jsonAnswer(201, view(makeBoard(pinterest, account.id, given.data.name), account))
}

export function makeBoard(pinterest: Pinterest, accountId: string, name: string): Board {
  const board = { id: pinterest.newId(), accountId, name, createdAt: pinterest.now() }
  pinterest.record({ type: 'board-made', board })
  return board
}

export function boardsOf({ state }: Pinterest, accountId: string): Board[] {
  return [...state.boards.values()].filter((board) => board.accountId === accountId)
}

/** A board that an account can pin to. */
export function ownBoard({ state }: Pinterest, account: Account, id: string): Board {
  const board = state.boards.get(id)
  if (!board) refuse(404, 40, 'Board not found.')
  if (board.accountId !== account.id)
    refuse(403, 29, 'You are not permitted to access that resource.')
  return board
}

function view({ id, name, createdAt }: Board, { username }: Account) {
  return {
    id,
    name,
    description: '',
    privacy: 'PUBLIC',
    owner: { username },
    created_at: timeOf(createdAt),
    pin_count: 0,
    follower_count: 0,
    collaborator_count: 0,
  }
}
