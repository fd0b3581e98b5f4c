import { isIP } from 'node:net'
import { AppError } from '@herald/contracts/errors'

/**
 * A platform's address in one spelling: no trailing slash, query or fragment. Unless private addresses are allowed (for
 * the sandbox), it must be https and must not name this machine or a private network by literal address.
 */
export function platformAddress(baseUrl: string, allowPrivate: boolean): string {
  const url = new URL(baseUrl)
  if (url.username || url.password) throw refused('must not carry a user name or password')
  if (!allowPrivate) {
    if (url.protocol !== 'https:') throw refused('must begin with https://')
    const host = url.hostname.replace(/^\[|\]$/g, '')
    if (
      isIP(host) !== 0 ||
      /(^|\.)(localhost|internal|local)\.?$/.test(host) ||
      !host.includes('.')
    )
      throw refused('must be a public host name')
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}

function refused(issue: string): AppError {
  return new AppError('validation_failed', `The address of the platform ${issue}.`, {
    details: { issues: [{ path: 'baseUrl', message: issue }] },
  })
}
