import { z } from 'zod'
import { addressOf } from '../addresses.ts'
import { ask } from '../ask.ts'
import { type AccountInput, ConnectError, type Choices, type HttpDeps } from '../platform.ts'
import { readJson } from '../read-json.ts'
import { refused } from './identify.ts'

const Categories = z.object({
  items: z.array(
    z.object({
      id: z.string(),
      snippet: z.object({ title: z.string(), assignable: z.boolean().default(true) }),
    }),
  ),
})

/** The categories that a video can be given, of the country that is set. */
export async function choices(
  { settings, token }: Pick<AccountInput, 'settings' | 'token'>,
  deps?: HttpDeps,
): Promise<Choices[]> {
  const url = addressOf(settings['apiUrl'] ?? '', '/videoCategories', {
    part: 'snippet',
    regionCode: settings['regionCode'] ?? 'US',
  })
  const headers = { authorization: `Bearer ${token}` }
  const response = await ask('YouTube', { method: 'GET', url, headers }, deps)
  if (response.status !== 200) throw refused(response, 'unavailable')
  const list = readJson(Categories, response.text)
  if (!list) throw new ConnectError('unavailable', 'YouTube gave an unreadable list of categories.')
  const assignable = list.items.filter(({ snippet }) => snippet.assignable)
  const categories = assignable.map(({ id, snippet }) => ({ value: id, label: snippet.title }))
  return [{ field: 'youtube.categoryId', choices: categories }]
}
