import { once } from 'node:events'
import { Platform } from '@herald/contracts/platforms'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectOwn, endingOf, withChoices } from './matrix-cells.ts'
import { fillLibrary, goodPost, type Library } from './matrix-posts.ts'
import { ownerUrl } from './owner-url.ts'
import { printTable } from './print-table.ts'
import { testWorld, type TestChannel, type World } from './world.ts'

/** The points of an attempt that lie around a platform's call. What is before and after them is in `crash.test.ts`. */
const POINTS = [
  'publisher.prepared',
  'publisher.calling',
  'publisher.called',
  'publisher.recorded',
] as const
type Point = (typeof POINTS)[number]

/**
 * Before the note that the call is made, the post is published by the next worker. After it nobody makes the call again:
 * a call that was never made stays unconfirmed, and one that was made is found live by its platform. No app may read
 * a member's posts on LinkedIn, and no bot its own on Telegram, so there nobody can tell.
 */
const EXPECTED: Record<Point, (platform: Platform) => string> = {
  'publisher.prepared': () => 'live',
  'publisher.calling': () => 'unconfirmed',
  'publisher.called': (platform) =>
    platform === 'LINKEDIN' || platform === 'TELEGRAM' ? 'unconfirmed (is live)' : 'live',
  'publisher.recorded': () => 'live',
}

const MOST_MS = 15 * 60_000

/** A lease outlasts all crashes, so that each doomed worker meets its own attempts and no earlier ones. */
const ENV = {
  LEASE_SECONDS: '900',
  COMMIT_TIMEOUT_SECONDS: '60',
  PREPARE_TIMEOUT_SECONDS: '120',
  RECONCILE_SECONDS: '0.5,1.5,4,8',
}

type Left = { point: Point; channel: TestChannel; postId: string }
const came = new Map<string, { ending: string; calls: number }>()

/** At each point one worker dies with a post to every platform. Then another worker finds all that they left. */
beforeAll(async () => {
  await using world = await testWorld({ processes: { publisher: 0 }, env: ENV })
  const library = await fillLibrary(world)
  const left: Left[] = []
  for (const point of POINTS) {
    const posts = Platform.options.map((platform) => post(world, library, platform, point))
    left.push(...(await Promise.all(posts)))
    const doomed = world.spawn('publisher', `${point}*${posts.length}`)
    const [, signal] = await once(doomed, 'exit', { signal: AbortSignal.timeout(180_000) })
    if (signal !== 'SIGKILL') throw new Error(`The publisher did not die at ${point}.`)
  }
  await endLeases(world)
  world.spawn('publisher')
  await Promise.all(left.map((one) => note(world, one)))
}, MOST_MS)

afterAll(() =>
  printTable(POINTS, Platform.options, (point, platform) => {
    return came.get(`${platform} ${point}`)?.ending ?? 'not tried'
  }),
)

describe.each(Platform.options)('a publisher killed around its call to %s', (platform) => {
  test.each(POINTS)('at %s calls once at most, and the post ends as the table says', (point) => {
    const calls = point === 'publisher.calling' ? 0 : 1
    const ending = EXPECTED[point](platform)
    expect(came.get(`${platform} ${point}`)).toEqual({ ending, calls })
  })
})

/** A post to an account of its own. */
async function post(
  world: World,
  library: Library,
  platform: Platform,
  point: Point,
): Promise<Left> {
  const channel = await connectOwn(world, platform)
  const part = platform === 'YOUTUBE' ? 'video' : 'image'
  const good = goodPost(platform, part, library, `${point} on ${platform}`)
  const body = await withChoices(world, channel, good)
  const { id: postId } = await world.create({ ...body, channelIds: [channel.id] })
  return { point, channel, postId }
}

async function note(world: World, { point, channel, postId }: Left): Promise<void> {
  const ending = await endingOf(world, channel, postId)
  const { length: calls } = await world.sandbox.requests(channel)
  came.set(`${channel.platform} ${point}`, { ending, calls })
}

/** What the killed workers hold is free at once, and not when their time is over. */
async function endLeases({ databaseUrls }: World): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrl(databaseUrls.publisher) })
  await client.connect()
  try {
    await client.query('update attempts set lease_until = now() where lease_until > now()')
  } finally {
    await client.end()
  }
}
