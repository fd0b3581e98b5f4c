import type { z } from 'zod'
import { type HttpRequest, type HttpResult, jsonOf, request } from './http.ts'
import { ConnectError } from './platform.ts'

/**
 * Asks a platform something while an account is connected or its token renewed. A 2xx answer of the expected shape is
 * returned; `isRefusal` says which answers mean that the grant is dead; all else is `unavailable`.
 */
export async function askPlatform<Schema extends z.ZodType>(
  options: HttpRequest,
  schema: Schema,
  isRefusal: (response: { status: number; body: unknown }) => string | false,
): Promise<z.output<Schema>> {
  const result = await request(options)
  if (result.kind !== 'response')
    throw new ConnectError('unavailable', `The platform cannot be reached: ${result.message}`)
  const body = jsonOf(result.text)
  const refusal = isRefusal({ status: result.status, body })
  if (refusal !== false) throw new ConnectError('refused', refusal)
  const parsed = isSuccess(result) ? schema.safeParse(body) : undefined
  if (parsed?.success) return parsed.data
  throw new ConnectError('unavailable', `The platform answered ${result.status}.`)
}

/** Whether a response has a 2xx status. */
export function isSuccess(result: Extract<HttpResult, { kind: 'response' }>): boolean {
  return result.status >= 200 && result.status < 300
}
