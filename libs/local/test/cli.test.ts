import { Channel } from '@herald/contracts/channels'
import { CloudEvent } from '@herald/contracts/events'
import { ManagedKey, Organization } from '@herald/contracts/accounts'
import { HistoryEntry, Post } from '@herald/contracts/posts'
import { eventually } from '@herald/testing/eventually'
import { fetchDocumented } from '@herald/testing/openapi-check'
import { fastFolder, temporaryFolder } from '@herald/testing/temporary-folder'
import { describe, expect, test as base } from 'vitest'
import { z } from 'zod'
import { type Ended, runProgram, runStack, type RunningStack } from './programs.ts'
import { sandboxClient } from './sandbox-client.ts'

type Cli = {
  stack: RunningStack
  folder: string
  run: (...args: string[]) => Promise<Ended>
  /** Runs a command with `--json`; throws unless it exits 0 with one JSON value in a line and nothing on standard error. */
  json: <Schema extends z.ZodType>(schema: Schema, ...args: string[]) => Promise<z.output<Schema>>
}

const test = base.extend<{ cli: Cli }>({
  cli: [
    async ({}, use) => {
      using folder = temporaryFolder(fastFolder())
      await using stack = await runStack(folder.path)
      const run = (...args: string[]) => runProgram('cli/main.ts', args, folder.path).ended
      await use({
        stack,
        folder: folder.path,
        run,
        async json(schema, ...args) {
          const { code, stdout, stderr } = await run(...args, '--json')
          if (code !== 0 || stderr !== '' || !/^[^\n]+\n$/.test(stdout))
            throw new Error(`Exit code ${code}: ${stdout}${stderr}`)
          return schema.parse(JSON.parse(stdout))
        },
      })
    },
    { scope: 'file' },
  ],
})

/** The words of a command line; what is put in is one word. */
const words = (parts: TemplateStringsArray, ...values: string[]) =>
  parts.flatMap((part, index) => [
    ...part.split(' ').filter(Boolean),
    ...values.slice(index, index + 1),
  ])

const listOf = <Schema extends z.ZodType>(schema: Schema) =>
  z.strictObject({ data: z.array(schema) })
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
  const Services = z.enum(['accounts', 'channels', 'posts'])
  const Checks = listOf(
    z.strictObject({ service: Services, streams: z.int(), mismatches: z.array(z.string()) }),
  )
  const check = () => cli.json(Checks, 'projections', 'check')
  const { data } = await check()
  expect(data.map(({ service, mismatches }) => [service, mismatches])).toEqual([
    ['accounts', []],
    ['channels', []],
    ['posts', []],
  ])
  const Rebuilt = listOf(z.strictObject({ service: Services, streams: z.int() }))
  const rebuilt = await cli.json(Rebuilt, 'projections', 'rebuild')
  expect(rebuilt.data.map(({ service }) => service)).toEqual(['accounts', 'channels', 'posts'])
  expect((await check()).data.every(({ mismatches }) => mismatches.length === 0)).toBe(true)
})

describe('a refusal exits 1 and says why on standard error only', () => {
  const REFUSED: [string, string][] = [
    [`post history ${UNKNOWN}`, 'not_found: '],
    ['channel disconnect chan_1', 'not_found: '],
    ['org set-plan org_1 --plan PRO', 'validation_failed: '],
    [`org set-plan ${UNKNOWN.replace('post', 'org')} --plan PRO`, 'not_found: '],
    [`key revoke ${UNKNOWN.replace('post', 'key')}`, 'not_found: '],
    ['key create --org org_1 --name A --scopes read', 'validation_failed: '],
    ['post create --org org_1 --content A --channels chan_1', 'validation_failed: '],
    ['channel list --org org_1', 'validation_failed: '],
  ]
  test.for(REFUSED)('%s', async ([line, message], { cli }) => {
    const { code, stdout, stderr } = await cli.run(...line.split(' '), '--json')
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain(message)
  })
})
