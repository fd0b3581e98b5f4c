import type { Post } from '@herald/contracts/posts'
import { describe, expect, test as base } from 'vitest'
import { expectRefusal, type HostileWorld, inAYear, withHostileWorld } from './hostile-world.ts'

const test = base.extend<{ world: HostileWorld }>({
  world: [async ({}, use) => withHostileWorld(use), { scope: 'file' }],
})

const FAMILY = '👨‍👩‍👧‍👦'
const ID = 'chan_01kb5x4a7ne8btgq1vq4p0d2c9'

/** A post that would be accepted, with a change. */
const aPost = (world: HostileWorld, change: Record<string, unknown> = {}) => ({
  content: 'Fresh bread from seven.',
  channelIds: [world.mastodon.id],
  publishAt: inAYear(),
  ...change,
})

describe('POST /posts 422', () => {
  type Make = (world: HostileWorld) => Record<string, unknown>
  const text =
    (content: unknown): Make =>
    () => ({ content })
  const at =
    (publishAt: unknown): Make =>
    () => ({ publishAt })
  const to =
    (channelIds: unknown): Make =>
    () => ({ channelIds })
  const CASES: [string, Make][] = [
    ['66: neither text nor files', text(undefined)],
    ['67: an empty text', text('')],
    ['67: nothing but spaces', text('   ')],
    ['67: nothing but a character without width', text('\u200b')],
    ['68: one character more than the channel takes', text('x'.repeat(501))],
    ['69: one family more than the channel takes', text(FAMILY.repeat(501))],
    ['70: one decomposed letter too many', text('e\u0301'.repeat(501))],
    ['71: 200 KB of text', text('x'.repeat(200_000))],
    [
      '72: 10,000 combining marks on each of 10 letters',
      text(`x${'\u0301'.repeat(9_999)}`.repeat(11)),
    ],
    ['75: no channels', to(undefined)],
    ['75: an empty list of channels', to([])],
    ['75: a channel that is no list', to(ID)],
    ['75: 101 channels', to(Array.from({ length: 101 }, (_, index) => `chan_${index}`))],
    [
      '76: the same channel twice',
      (world) => ({ channelIds: [world.mastodon.id, world.mastodon.id] }),
    ],
    ['81: null for a channel', to([null])],
    ['81: an object for a channel', to([{}])],
    ['81: a list for a channel', to([['a']])],
    ['82: a quotation mark in an id', to(["chan_'; drop table posts; --"])],
    ['82: a NUL in an id', to(['chan_\u0000'])],
    ['82: an id of 4 KB', to(['c'.repeat(4096)])],
    ['82: an id in capitals', (world) => ({ channelIds: [world.mastodon.id.toUpperCase()] })],
    ['82: a path for an id', to(['../../posts'])],
    ['83: a time without an offset', at('2027-01-01T00:00:00')],
    ['84: the 30th of February', at('2027-02-30T00:00:00Z')],
    ['85: the 24th hour', at('2027-01-01T24:00:00Z')],
    ['86: a leap second', at('2026-12-31T23:59:60Z')],
    ['87: an offset beyond all islands', at('2027-01-01T00:00:00+14:01')],
    ['88: an offset of 25 hours', at('2027-01-01T00:00:00+25:00')],
    ['89: the year 0', at('0000-01-01T00:00:00Z')],
    ['90: the year 9999', at('9999-12-31T23:59:59.999Z')],
    ['91: the last year that a computer counts', at('+275760-09-13T00:00:00Z')],
    ['92: seconds since 1970', at(1_798_761_600)],
    ['93: Arabic digits', at('٢٠٢٧-01-01T00:00:00Z')],
    ['96: a year ago', at(new Date(Date.now() - 365 * 24 * 3_600_000).toISOString())],
    ['99: null for a time', at(null)],
    ['99: an empty time', at('')],
    [
      '105: 101 files',
      () => ({ mediaIds: Array.from({ length: 101 }, (_, index) => `med_${index}`) }),
    ],
    ['105: the same file twice', () => ({ mediaIds: ['med_1', 'med_1'] })],
    [
      '113: a text for a platform without a channel',
      () => ({ platformContent: { BLUESKY: 'Hi' } }),
    ],
    [
      '113: a text for a platform that nobody knows',
      () => ({ platformContent: { MYSPACE: 'Hi' } }),
    ],
    [
      '115: a text that one of two channels does not take',
      (world) => ({ content: 'x'.repeat(400), channelIds: [world.mastodon.id, world.bluesky.id] }),
    ],
    [
      '111: a setting with a line break behind it',
      () => ({ mastodon: { visibility: 'public\n' } }),
    ],
    [
      '112: an object for a platform that is not there yet',
      () => ({ reddit: { subreddit: 'r/../x' } }),
    ],
  ]
  test.for(CASES)('%s', async ([, change], { world }) => {
    const body = aPost(world, change(world))
    const error = await expectRefusal(world, 422, 'validation_failed', 'POST', '/posts', { body })
    const { issues = [], violations = [] } = error.details as Record<string, unknown[]>
    expect(issues.length + violations.length).toBeGreaterThan(0)
  })

  test('71: a text of 1 MB is 413', async ({ world }) => {
    const body = aPost(world, { content: 'x'.repeat(1_000_000) })
    await expectRefusal(world, 413, 'validation_failed', 'POST', '/posts', { body })
  })

  test('100, 101, 103: files that are no own ready files are refused in the same words', async ({
    world,
  }) => {
    const upload = { fileName: 'a.png', mimeType: 'image/png', fileSize: 10 }
    const pending = await world.ask('POST', '/media/uploads', { body: upload })
    const { media } = JSON.parse(pending.text) as { media: { id: string } }
    const errors = []
    for (const id of [media.id, 'med_01kb5x4a7ne8btgq1vq4p0d2c9', 'nonsense', world.mastodon.id])
      errors.push(
        await expectRefusal(world, 422, 'validation_failed', 'POST', '/posts', {
          body: aPost(world, { mediaIds: [id] }),
        }),
      )
    for (const error of errors) expect(error).toEqual(errors[0])
  })
})

describe('POST /posts 201', () => {
  const TEXTS: [string, string][] = [
    ['68: as many characters as the channel takes', 'x'.repeat(500)],
    ['69: as many families as the channel takes', FAMILY.repeat(500)],
    ['70: decomposed letters count as one each', 'e\u0301'.repeat(500)],
    ['72: text that runs from right to left', 'abc \u202e gpj.exe \u202c مرحبا'],
    ['72: 300 combining marks', `x${'\u0301'.repeat(300)}`],
    ['73: a script', '<script>alert(1)</script>'],
    ['73: a template', '{{7*7}} ${7*7} <%= 7*7 %> #{7*7}'],
    ['73: a look-up', '${jndi:ldap://127.0.0.1/a}'],
    ['73: SQL', "'; DROP TABLE posts; --"],
    ['73: names that objects inherit', '__proto__ constructor toString'],
    ['74: line breaks of every kind', 'a\r\nb\nc\rd\u2028e\u2029f'],
  ]
  test.for(TEXTS)('%s are kept as they are', async ([, content], { world }) => {
    const post = await world.plan({ content })
    expect(post.content).toBe(content)
    expect((await world.get(post.id)).content).toBe(content)
  })

  const TIMES: [string, string, string][] = [
    ['94: minus zero', '2027-03-01T10:00:00-00:00', '2027-03-01T10:00:00.000Z'],
    [
      '95: twelve digits behind the second',
      '2027-03-01T10:00:00.123456789012Z',
      '2027-03-01T10:00:00.123Z',
    ],
    ['98: a time that clocks jump over', '2027-03-28T02:30:00+01:00', '2027-03-28T01:30:00.000Z'],
    [
      '98: the first of two times of one name',
      '2027-10-31T02:30:00+02:00',
      '2027-10-31T00:30:00.000Z',
    ],
    [
      '98: the second of two times of one name',
      '2027-10-31T02:30:00+01:00',
      '2027-10-31T01:30:00.000Z',
    ],
    ['87: the last offset that exists', '2027-03-01T10:00:00+14:00', '2027-02-28T20:00:00.000Z'],
  ]
  test.for(TIMES)('%s is that instant', async ([, publishAt, instant], { world }) => {
    expect((await world.plan({ publishAt })).scheduledAt).toBe(instant)
  })

  test('96, 97: a time within the last minute, or half a second ahead, is taken', async ({
    world,
  }) => {
    const inMs = (ms: number) => new Date(Date.now() + ms).toISOString()
    const past = await world.plan({ publishAt: inMs(-1_000), content: 'a second ago' })
    expect(past.scheduledAt).toBe(past.createdAt)
    const publishAt = inMs(500)
    expect((await world.plan({ publishAt, content: 'soon' })).scheduledAt).toBe(publishAt)
  })

  test('70: a composed and a decomposed letter make two different posts', async ({ world }) => {
    const publishAt = inAYear()
    const one = await world.plan({ content: '\u00e9', publishAt })
    const other = await world.plan({ content: 'e\u0301', publishAt })
    expect(other.id).not.toBe(one.id)
  })

  test('120: the largest post that is allowed is created, shown, changed and removed', async ({
    world,
  }) => {
    const body = aPost(world, {
      content: 'x'.repeat(300),
      channelIds: [world.mastodon.id, world.bluesky.id],
      platformContent: { MASTODON: FAMILY.repeat(400), BLUESKY: 'y'.repeat(300) },
      mastodon: {
        visibility: 'unlisted',
        sensitive: true,
        spoilerText: 'z'.repeat(100),
        language: 'de',
      },
      bluesky: { languages: ['de', 'en-GB', 'pt-BR'] },
    })
    const created = JSON.parse((await world.ask('POST', '/posts', { body })).text) as Post
    const path = `/posts/${created.id}`
    expect((await world.get(created.id)).channels.map(({ content }) => content)).toEqual([
      FAMILY.repeat(400),
      'y'.repeat(300),
    ])
    expect((await world.ask('PATCH', path, { body: { content: 'short' } })).status).toBe(200)
    expect((await world.ask('DELETE', path)).status).toBe(200)
  })
})

test('what a request has stored can be found by the id of the request', async ({ world }) => {
  const body = aPost(world, { content: 'to be found' })
  const { status, requestId } = await world.ask('POST', '/posts', { body })
  expect(status).toBe(201)
  expect(await world.events.causedBy([requestId, 'no-such-request'])).toEqual([requestId])
})

test('117: the same post by two keys of one organization is a duplicate', async ({ world }) => {
  const { secret: key } = await world.accounts.createKey({
    organizationId: world.organizationId,
    name: 'Second',
    scopes: ['publish'],
  })
  const body = aPost(world, { content: 'by two keys' })
  const first = JSON.parse((await world.ask('POST', '/posts', { body })).text) as Post
  const error = await expectRefusal(world, 409, 'duplicate_post', 'POST', '/posts', { body, key })
  expect(error.details).toEqual({ postId: first.id })
})

test('65: a request that is sent 50 times at once makes one post, and the others learn its id', async ({
  world,
}) => {
  const body = aPost(world, { content: 'fifty times' })
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => world.ask('POST', '/posts', { body })),
  )
  const made = answers.filter(({ status }) => status === 201)
  expect(made).toHaveLength(1)
  const { id } = JSON.parse(made[0]!.text) as Post
  for (const { status, text } of answers.filter((answer) => answer !== made[0])) {
    expect(status).toBe(409)
    expect(JSON.parse(text)).toMatchObject({
      error: { code: 'duplicate_post', details: { postId: id } },
    })
  }
})
