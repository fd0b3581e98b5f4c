import { currentContext } from './context.ts'
import { type CallOptions, LostCall } from './lost-call.ts'
import { contextHeaders, parseReply, type Reply } from './rpc-wire.ts'

/** Makes a call over the direct road; throws `LostCall` when no answer comes. */
export async function callDirectly(
  { name, input, timeoutMs }: CallOptions,
  address: string,
  secret: string,
): Promise<Reply> {
  try {
    const response = await fetch(`${address}/rpc/${name}`, {
      method: 'POST',
      headers: [
        ['content-type', 'application/json'],
        ['authorization', `Bearer ${secret}`],
        ...contextHeaders(currentContext()),
      ],
      body: JSON.stringify(input) ?? '',
      redirect: 'error',
      signal: AbortSignal.timeout(Math.ceil(timeoutMs)),
    })
    if (response.status !== 200) {
      await response.body?.cancel()
      throw new Error(`The direct road answered ${response.status}.`)
    }
    return parseReply(await response.json())
  } catch (cause) {
    throw new LostCall('The direct call got no answer.', { isUnsent: false, cause })
  }
}
