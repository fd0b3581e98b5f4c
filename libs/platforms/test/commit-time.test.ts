import { expect, test } from 'vitest'
import { discordConnector } from '../src/discord/connector.ts'
import { telegramConnector } from '../src/telegram/connector.ts'
import { aFile } from './drafts.ts'

const video = (sizeBytes: number) => aFile({ id: 'med_1', type: 'video', sizeBytes })

test.each([
  ['Discord', discordConnector, 26_148_864],
  ['Telegram', telegramConnector, 49_934_464],
] as const)(
  'a call that carries files to %s has the time of a line of a megabit a second for them, and for no more than it takes',
  (_, connector, most) => {
    expect(connector.commitTimeMs?.([])).toBe(0)
    expect(connector.commitTimeMs?.([video(1_000_000), video(1_000_000)])).toBe(16_000)
    expect(connector.commitTimeMs?.([video(1_000_000_000)])).toBe(Math.ceil(most / 125))
  },
)
