import { PLATFORMS } from '@herald/platforms/rules-registry'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ROWS, type Scene, tryCell } from './matrix-cells.ts'
import { EXPECTED } from './matrix-expected.ts'
import { fillLibrary } from './matrix-posts.ts'
import { printTable } from './print-table.ts'
import { testWorld } from './world.ts'

const AT_A_TIME = 12
const MOST_MS = 10 * 60_000

/** Everything runs in one process here, so a call may take long without meaning anything. */
const PATIENT = {
  COMMIT_TIMEOUT_SECONDS: '6',
  LEASE_SECONDS: '15',
  RECONCILE_SECONDS: '0.5,1.5,4,8',
}

const platforms = PLATFORMS.map(({ rules }) => rules.platform)
const cells = platforms.flatMap((platform) => ROWS.map((row) => ({ platform, row })))
const came = new Map<string, string>()

/** Each cell waits for its post, so all of them are tried side by side first, and looked at after that. */
beforeAll(async () => {
  await using world = await testWorld({ env: PATIENT })
  const scene: Scene = { world, library: await fillLibrary(world) }
  const waiting = cells.values()
  const work = async () => {
    for (const { platform, row } of waiting)
      came.set(
        `${platform} ${row}`,
        await tryCell(scene, platform, row).catch((error: unknown) => String(error)),
      )
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, work))
}, MOST_MS)

afterAll(() =>
  printTable(ROWS, platforms, (row, platform) => came.get(`${platform} ${row}`) ?? 'not tried'),
)

describe.each(platforms)('on %s', (platform) => {
  test.each(ROWS)('%s ends as the table says, and never twice', (row) => {
    expect(came.get(`${platform} ${row}`)).toBe(EXPECTED[row][platform])
  })
})
