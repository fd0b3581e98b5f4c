import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'

const Claims = z.object({
  scope: z.string(),
  sub: z.string(),
  aud: z.string(),
  jti: z.string(),
  iat: z.number(),
  /** Seconds since 1970. */
  exp: z.number(),
})
export type Claims = z.infer<typeof Claims>

/** A token signed with HS256. */
export function signJwt(claims: Claims, typ: string, secret: string): string {
  const unsigned = [{ typ, alg: 'HS256' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  return `${unsigned}.${signature(unsigned, secret).toString('base64url')}`
}

/** What a token says; undefined for one that was not signed with this secret. Its time is not looked at. */
export function verifyJwt(token: string, secret: string): Claims | undefined {
  const [header = '', payload = '', given = ''] = token.split('.')
  const wanted = signature(`${header}.${payload}`, secret)
  const bytes = Buffer.from(given, 'base64url')
  if (bytes.length !== wanted.length || !timingSafeEqual(bytes, wanted)) return undefined
  return Claims.parse(JSON.parse(Buffer.from(payload, 'base64url').toString()))
}

function signature(text: string, secret: string): Buffer {
  return createHmac('sha256', secret).update(text).digest()
}
