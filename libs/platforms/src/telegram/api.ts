import { addressOf } from '../addresses.ts'
import type { Settings } from '../platform.ts'

/** Where a call goes. A channel's own address is that of the Bot API when it was connected. */
export type Place = { baseUrl: string; settings: Settings }

/** The address of a method, which has the bot's token in it. */
export function methodAddress({ baseUrl, settings }: Place, token: string, method: string): string {
  return addressOf(settings['apiUrl'] ?? baseUrl, `/bot${token}/${method}`)
}
