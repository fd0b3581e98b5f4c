import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'

export const Claims = z.object({
  scope: z.enum(['com.atproto.appPass', 'com.atproto.refresh']),
  sub: z.string(),
  aud: z.string(),
  /** Seconds since 1970. */
  iat: z.number(),
  exp: z.number(),
  /** Which session, and for a refresh token which use of it. */
  sid: z.string(),
  jti: z.string(),
})
export type Claims = z.infer<typeof Claims>

/** A signed JWT (HS256), which its holder can read. */
export function signJwt(claims: Claims, secret: string): string {
  const header = encode({
    typ: claims.scope === 'com.atproto.refresh' ? 'refresh+jwt' : 'at+jwt',
    alg: 'HS256',
  })
  const content = `${header}.${encode(claims)}`
  return `${content}.${signature(content, secret).toString('base64url')}`
}

/** What a token says, expired or not; undefined for one that was not signed here. */
export function readJwt(token: string, secret: string): Claims | undefined {
  const [header = '', payload = '', signed = ''] = token.split('.')
  const expected = signature(`${header}.${payload}`, secret)
  const given = Buffer.from(signed, 'base64url')
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined
  return Claims.safeParse(JSON.parse(Buffer.from(payload, 'base64url').toString())).data
}

function encode(part: unknown): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}

function signature(content: string, secret: string): Buffer {
  return createHmac('sha256', secret).update(content).digest()
}
