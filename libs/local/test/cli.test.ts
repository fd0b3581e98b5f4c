import { Channel } from '@herald/contracts/channels'
import { CloudEvent } from '@herald/contracts/events'
import { ManagedKey, Organization } from '@herald/contracts/accounts'
import { HistoryEntry, Post } from '@herald/contracts/posts'
import { eventually } from '@herald/testing/eventually'
import { fetchDocumented } from '@herald/testing/openapi-check'
import { describe, expect, test as base } from 'vitest'
import { z } from 'zod'
import { type Cli, cli, listOf, words } from './cli-world.ts'
import { grantAccess } from './browser.ts'
import { runProgram } from './programs.ts'
import { sandboxClient } from './sandbox-client.ts'

const test = base.extend<{ cli: Cli }>({ cli })

const NewKey = ManagedKey.extend({ secret: z.string() })
const UNKNOWN = 'post_00000000000000000000000000'

const newOrganization = ({ json }: Cli, plan = 'PRO') =>
  json(Organization, 'org', 'create', '--name', 'Test', '--plan', plan)

async function connectOne(cli: Cli, org: string): Promise<z.infer<typeof Channel>> {
  const account = await sandboxClient(cli.stack.run.sandboxUrl).createAccount('MASTODON')
  const { baseUrl, credentials } = account
  const given = JSON.stringify(credentials)
  return cli.json(
    Channel,
    ...words`channel connect --org ${org} --platform MASTODON --base-url ${baseUrl} --credentials ${given}`,
  )
}

function postNow(cli: Cli, org: string, channel: string, content: string): Promise<Post> {
  const args = ['--org', org, '--content', content, '--channels', channel]
  return cli.json(Post, 'post', 'create', ...args)
}

describe('org', () => {
  test('create, list and set-plan answer organizations', async ({ cli }) => {
    const made = await newOrganization(cli, 'FREE')
    expect(made).toMatchObject({ name: 'Test', plan: 'FREE' })
    const changed = await cli.json(Organization, 'org', 'set-plan', made.id, '--plan', 'TEAM')
    expect(changed).toEqual({ ...made, plan: 'TEAM' })
    const { data } = await cli.json(listOf(Organization), 'org', 'list')
    expect(data).toContainEqual(changed)
  })

  test('set-plan takes the id as --org or --id as well', async ({ cli }) => {
    const { id } = await newOrganization(cli)
    for (const [option, plan] of [
      ['--org', 'FREE'],
      ['--id', 'ENTERPRISE'],
    ] as const)
      expect(
        await cli.json(Organization, 'org', 'set-plan', option, id, '--plan', plan),
      ).toMatchObject({ id, plan })
  })
})

describe('key', () => {
  test('create shows the key once, and it calls the API until it is revoked', async ({ cli }) => {
    const { id: org } = await newOrganization(cli)
    const made = await cli.json(
      NewKey,
      ...words`key create --org ${org} --name Reader --scopes read,publish`,
    )
    expect(made).toMatchObject({
      organizationId: org,
      scopes: ['read', 'publish'],
      channels: 'all',
    })
    const me = () =>
      fetchDocumented(cli.stack.run.apiUrl, '/v1/me', {
        headers: { authorization: `Bearer ${made.secret}` },
      })
    const { secret, ...shown } = made
    const listed = () => cli.run('key', 'list', '--org', org, '--json')
    expect(JSON.parse((await listed()).stdout)).toEqual({ data: [shown] })
    expect((await cli.run('key', 'list', '--org', org)).stdout).toContain('never used')
    expect((await me()).status).toBe(200)
    await eventually(async () =>
      expect(JSON.parse((await listed()).stdout)).toEqual({
        data: [{ ...shown, lastUsedAt: expect.stringMatching(/Z$/) }],
      }),
    )
    expect((await cli.run('key', 'list', '--org', org)).stdout).toContain(' used 20')
    const revoked = await cli.json(ManagedKey, 'key', 'revoke', made.id)
    expect(revoked.revokedAt).not.toBeNull()
    await eventually(async () => expect((await me()).status).toBe(401))
    for (const args of [['list'], ['list', '--org', org], ['revoke', '--id', made.id]])
      expect((await cli.run('key', ...args)).stdout).not.toContain(secret)
  })

  test('create for people shows the key in a line of its own', async ({ cli }) => {
    const { id } = await newOrganization(cli)
    const { stdout } = await cli.run(...words`key create --org ${id} --name Mine --scopes read`)
    expect(stdout.match(/^herald_live_[0-9A-Za-z]{46}$/gm)).toHaveLength(1)
  })

  test('create takes channels and an expiry', async ({ cli }) => {
    const { id: org } = await newOrganization(cli)
    const channel = await connectOne(cli, org)
    const made = await cli.json(
      NewKey,
      ...words`key create --org ${org} --name Short --scopes read --channels ${channel.id}`,
      ...words`--expires-at 2099-01-01T01:00:00+01:00`,
    )
    expect(made.channels).toEqual([channel.id])
    expect(Date.parse(made.expiresAt ?? '')).toBe(Date.parse('2099-01-01T00:00:00Z'))
  })
})

describe('channel', () => {
  test('connect, list and disconnect answer channels', async ({ cli }) => {
    const { id: org } = await newOrganization(cli)
    const channel = await connectOne(cli, org)
    expect(channel).toMatchObject({ platform: 'MASTODON', status: 'active' })
    const list = () =>
      cli.json(
        listOf(Channel.extend({ organizationId: z.string() })),
        'channel',
        'list',
        '--org',
        org,
      )
    expect((await list()).data).toEqual([{ ...channel, organizationId: org }])
    const gone = await cli.json(Channel, 'channel', 'disconnect', channel.id)
    expect(gone).toEqual({ ...channel, status: 'disconnected' })
    expect((await list()).data).toEqual([])
  })

  test('connect --oauth prints an address, and with --wait also the channel that comes of it', async ({
    cli,
  }) => {
    const { id: org } = await newOrganization(cli)
    const { sandboxUrl, apiUrl } = cli.stack.run
    const { account } = await sandboxClient(sandboxUrl).createAccount('MASTODON')
    const args = words`channel connect --org ${org} --platform MASTODON --oauth --base-url ${`${sandboxUrl}/mastodon`}`
    const Begun = z.strictObject({ url: z.url(), expiresAt: z.string() })
    const { url } = await cli.json(Begun, ...args)
    expect(new URL(url).searchParams.get('redirect_uri')).toBe(
      `${apiUrl}/connect/callback/mastodon`,
    )
    const waiting = runProgram('cli/main.ts', [...args, '--wait'], cli.folder)
    const printed = await eventually(() => {
      const [address = ''] = /http\S+/.exec(waiting.output.stdout) ?? []
      expect(address).toMatch(/state=.+/)
      return address
    })
    expect((await fetch(await grantAccess(printed, account))).status).toBe(200)
    const { code, stdout } = await waiting.ended
    const List = listOf(Channel.extend({ organizationId: z.string() }))
    const { data } = await cli.json(List, ...words`channel list --org ${org}`)
    expect(data).toHaveLength(1)
    expect([code, stdout]).toEqual([0, expect.stringContaining(`Connected ${data[0]!.id}`)])
  })

  test.for([
    ['--platform X', 'Give one of --credentials and --oauth'],
    ['--platform X --oauth --credentials {}', 'Give one of --credentials and --oauth'],
    ['--platform X --credentials {} --wait', '--wait goes with --oauth'],
  ])('connect %s is called in a wrong way', async ([options = '', message], { cli }) => {
    const args = ['channel', 'connect', '--org', 'org_1', ...options.split(' ')]
    const { code, stdout, stderr } = await cli.run(...args)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(message)
  })

  test('connect --oauth of a platform without such a page is refused', async ({ cli }) => {
    const { id: org } = await newOrganization(cli)
    const args = words`channel connect --org ${org} --platform BLUESKY --oauth --base-url https://bsky.social`
    const { code, stdout, stderr } = await cli.run(...args)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain('Bluesky is connected with credentials')
  })

  test('list without an organization has the channels of all', async ({ cli }) => {
    const { stdout } = await cli.run('channel', 'list', '--json')
    const ids = JSON.parse(stdout).data.map(({ id }: { id: string }) => id)
    for (const { id } of cli.stack.run.demo.channels) expect(ids).toContain(id)
  })
})

describe('post', () => {
  test('create makes a post of the app, and its history shows how it was published', async ({
    cli,
  }) => {
    const { organizationId, channels } = cli.stack.run.demo
    const made = await postNow(cli, organizationId, channels[0]!.id, 'From the command line')
    expect(made).toMatchObject({ source: 'app', status: 'scheduled' })
    const history = () => cli.json(listOf(HistoryEntry), 'post', 'history', made.id)
    await eventually(
      async () => {
        const { data } = await history()
        expect(data.map(({ type }) => type)).toEqual([
          'PostScheduled',
          'PublishStarted',
          'ChannelPublished',
          'PostPublished',
        ])
        expect(data[0]).toMatchObject({ version: 1, actor: 'app:operator' })
      },
      { timeoutMs: 30_000 },
    )
    const { stdout } = await cli.run('post', 'history', '--post', made.id)
    expect(stdout).toMatch(/^3 .*ChannelPublished .*url=http/m)
  })

  test('retry publishes again what failed, once that can be', async ({ cli }) => {
    const { id: org } = await newOrganization(cli)
    const sandbox = sandboxClient(cli.stack.run.sandboxUrl)
    const connect = async () => {
      const { account, baseUrl, credentials } = await sandbox.createAccount('MASTODON', 'retry')
      const given = JSON.stringify(credentials)
      const args = words`channel connect --org ${org} --platform MASTODON --base-url ${baseUrl} --credentials ${given}`
      return { account, ...(await cli.json(Channel, ...args)) }
    }
    const { id: channelId, account } = await connect()
    await sandbox.revoke({ platform: 'MASTODON', account })
    const { id } = await postNow(cli, org, channelId, 'Again from the command line')
    const types = async () => {
      const { data } = await cli.json(listOf(HistoryEntry), 'post', 'history', id)
      return data.map(({ type }) => type)
    }
    await eventually(async () => expect(await types()).toContain('PostFailed'), {
      timeoutMs: 30_000,
    })
    const refused = await cli.run('post', 'retry', id, '--org', org)
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/^reauth_required: /)])
    expect((await connect()).id).toBe(channelId)
    await eventually(async () => {
      const args = words`post retry ${id} --org ${org} --include-unconfirmed`
      expect((await cli.json(Post, ...args)).status).toBe('scheduled')
    })
    await eventually(async () => expect(await types()).toContain('PostPublished'), {
      timeoutMs: 30_000,
    })
  })

  test('create takes a time, and a comma in the text is text', async ({ cli }) => {
    const { organizationId, channels } = cli.stack.run.demo
    const due = Date.now() + 86_400_000
    // In a zone two hours east of UTC, which says so.
    const publishAt = new Date(due + 7_200_000).toISOString().replace('Z', '+02:00')
    const made = await cli.json(
      Post,
      ...words`post create --org ${organizationId} --content ${'One, two\nthree'}`,
      ...words`--channels ${channels.map(({ id }) => id).join(', ')} --publish-at ${publishAt}`,
    )
    expect(made.content).toBe('One, two\nthree')
    expect(made.channels).toHaveLength(2)
    expect(Date.parse(made.scheduledAt)).toBe(due)
  })
})

test('events tail prints the events of an organization, one JSON object a line, until Ctrl-C', async ({
  cli,
}) => {
  const { id: org } = await newOrganization(cli)
  const { organizationId: otherOrg, channels: others } = cli.stack.run.demo
  const channel = await connectOne(cli, org)
  const tail = runProgram('cli/main.ts', ['events', 'tail', '--org', org, '--json'], cli.folder)
  // It prints what happens from now on, and nothing tells when it has begun.
  await eventually(
    async () => {
      await postNow(cli, otherOrg, others[0]!.id, crypto.randomUUID())
      await postNow(cli, org, channel.id, crypto.randomUUID())
      expect(tail.output.stdout).toContain('PostPublished')
    },
    { timeoutMs: 30_000 },
  )
  tail.child.kill('SIGINT')
  const { code, stdout } = await tail.ended
  expect(code).toBe(0)
  const lines = stdout.trimEnd().split('\n')
  const events = lines.map((line) => CloudEvent.parse(JSON.parse(line)))
  expect(new Set(events.map(({ organizationid }) => organizationid))).toEqual(new Set([org]))
})

test('projections check finds no difference, and rebuild keeps it so', async ({ cli }) => {
  const Services = z.enum(['accounts', 'channels', 'media', 'posts'])
  const Checks = listOf(
    z.strictObject({ service: Services, streams: z.int(), mismatches: z.array(z.string()) }),
  )
  const check = () => cli.json(Checks, 'projections', 'check')
  const { data } = await check()
  expect(data.map(({ service, mismatches }) => [service, mismatches])).toEqual([
    ['accounts', []],
    ['channels', []],
    ['media', []],
    ['posts', []],
  ])
  const Rebuilt = listOf(z.strictObject({ service: Services, streams: z.int() }))
  const rebuilt = await cli.json(Rebuilt, 'projections', 'rebuild')
  expect(rebuilt.data.map(({ service }) => service)).toEqual(Services.options)
  expect((await check()).data.every(({ mismatches }) => mismatches.length === 0)).toBe(true)
})

describe('a refusal exits 1 and says why on standard error only', () => {
  const REFUSED: [string, string][] = [
    [`post history ${UNKNOWN}`, 'not_found: '],
    [`post retry ${UNKNOWN} --org ${UNKNOWN.replace('post', 'org')}`, 'not_found: '],
    ['channel disconnect chan_1', 'not_found: '],
    ['org set-plan org_1 --plan PRO', 'validation_failed: '],
    [`org set-plan ${UNKNOWN.replace('post', 'org')} --plan PRO`, 'not_found: '],
    [`key revoke ${UNKNOWN.replace('post', 'key')}`, 'not_found: '],
    ['key create --org org_1 --name A --scopes read', 'validation_failed: '],
    ['post create --org org_1 --content A --channels chan_1', 'validation_failed: '],
    ['channel list --org org_1', 'validation_failed: '],
    ['media list --org org_1', 'validation_failed: '],
    [`media get med_1 --org ${UNKNOWN.replace('post', 'org')}`, 'not_found: '],
    [`media delete med_1 --org ${UNKNOWN.replace('post', 'org')}`, 'not_found: '],
  ]
  test.for(REFUSED)('%s', async ([line, message], { cli }) => {
    const { code, stdout, stderr } = await cli.run(...line.split(' '), '--json')
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain(message)
  })
})
