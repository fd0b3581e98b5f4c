import { z } from 'zod'
import { ask } from '../ask.ts'
import { type AccountInput, type Choices, ConnectError, type HttpDeps } from '../platform.ts'
import { readJson } from '../read-json.ts'
import { apiCall } from './api.ts'

const PAGE_SIZE = 250
/** Nobody chooses among more than a thousand boards. */
const MAX_PAGES = 4

const Boards = z.object({
  items: z.array(z.object({ id: z.string().min(1), name: z.string() })),
  bookmark: z.string().min(1).nullish(),
})
type Boards = z.infer<typeof Boards>

/** The boards that the account can pin to. Throws `ConnectError`. */
export async function choices(input: AccountInput, deps?: HttpDeps): Promise<Choices[]> {
  const boards: Boards['items'] = []
  let bookmark: string | null | undefined
  for (let page = 0; page < MAX_PAGES; page++) {
    const read = await readPage(input, bookmark, deps)
    boards.push(...read.items)
    bookmark = read.bookmark
    if (!bookmark) break
  }
  const options = boards.map(({ id, name }) => ({ value: id, label: name }))
  return [{ field: 'pinterest.boardId', choices: options }]
}

async function readPage(
  input: AccountInput,
  bookmark: string | null | undefined,
  deps?: HttpDeps,
): Promise<Boards> {
  const query = { page_size: String(PAGE_SIZE), ...(bookmark && { bookmark }) }
  const { status, text } = await ask('Pinterest', apiCall(input, 'GET', '/boards', { query }), deps)
  if (status === 401)
    throw new ConnectError('refused', 'Pinterest does not accept the access token any more.')
  const boards = status === 200 ? readJson(Boards, text) : undefined
  if (!boards) throw new ConnectError('unavailable', `Pinterest answers with status ${status}.`)
  return boards
}
