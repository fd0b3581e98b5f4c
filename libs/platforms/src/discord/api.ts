import { addressOf } from '../addresses.ts'
import { ask } from '../ask.ts'
import type { HttpResponse } from '../http.ts'
import { ConnectError, type HttpDeps, type Settings } from '../platform.ts'
import { oneLine } from '../refusal.ts'
import { DISCORD_ERRORS } from './errors.ts'

/** Where a call goes. A channel's own address is that of the API when it was connected. */
export type Place = { baseUrl: string; settings: Settings }

/** Discord wants to know the program that calls it, and blocks those that do not say. */
export const USER_AGENT = { 'user-agent': 'DiscordBot (Herald, 1.0)' }

/** The address of an endpoint of the API. */
export function apiAddress(
  { baseUrl, settings }: Place,
  path: string,
  query?: Record<string, string>,
): string {
  return addressOf(settings['apiUrl'] ?? baseUrl, path, query)
}

export function botAuth(botToken: string): Record<string, string> {
  return { ...USER_AGENT, authorization: `Bot ${botToken}` }
}

/** Reads from the API while connecting; throws `ConnectError` for anything but an answer about the credentials. */
export function read(
  place: Place,
  path: string,
  headers: Record<string, string>,
  deps?: HttpDeps,
): Promise<HttpResponse> {
  return ask('Discord', { method: 'GET', url: apiAddress(place, path), headers }, deps)
}

/** Unknown channel, guild or webhook; a wrong webhook token; a channel that the bot cannot see. */
const GONE = ['10003', '10004', '10015', '50027', '50001']

/** The `ConnectError` of a refusal: `refused` when it is surely about the credentials, else what is given. */
export function connectError(
  { status, text }: HttpResponse,
  otherwise: ConnectError['kind'],
): ConnectError {
  const { code = '', message = '' } = DISCORD_ERRORS.read(text)
  const isAboutAccess = (status === 401 && code === '0') || GONE.includes(code)
  const row = DISCORD_ERRORS.rows.find(
    (one) => one.code === code || (!one.code && one.status === status),
  )
  return new ConnectError(
    isAboutAccess ? 'refused' : otherwise,
    row?.means.message ?? `Discord answers with status ${status}: ${oneLine(message)}`,
  )
}
