import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Post } from '@herald/contracts/posts'
import { eventually } from '@herald/testing/eventually'
import { testNats } from '@herald/testing/nats'
import { testPostgres } from '@herald/testing/postgres'
import { fastFolder, temporaryFolder } from '@herald/testing/temporary-folder'
import { expect, test as base } from 'vitest'
import { callApi, expectNothingLeft, runProgram, runStack } from './programs.ts'

const test = base.extend<{ folder: string }>({
  folder: [
    async ({}, use) => {
      using folder = temporaryFolder(fastFolder())
      await use(folder.path)
    },
    { scope: 'file' },
  ],
})

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()

test('a start writes run.json, serves the demo key, and ends whole at Ctrl-C', async ({
  folder,
}) => {
  await using stack = await runStack(folder)
  const run = JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8'))
  expect(run).toEqual({
    apiUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    publicUrl: run.apiUrl,
    natsUrl: expect.stringMatching(/^nats:\/\/127\.0\.0\.1:\d+$/),
    postgresUrl: expect.stringMatching(/^postgres:\/\/postgres@127\.0\.0\.1:\d+\/postgres$/),
    sandboxUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    filesUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    pid: stack.child.pid,
    demo: {
      organizationId: expect.stringMatching(/^org_/),
      apiKey: expect.stringMatching(/^herald_live_/),
      channels: [
        { id: expect.stringMatching(/^chan_/), platform: 'MASTODON' },
        { id: expect.stringMatching(/^chan_/), platform: 'BLUESKY' },
      ],
    },
  })
  expect(statSync(join(folder, 'run.json')).mode & 0o077).toBe(0)
  const created = await callApi(stack.run, 'POST', '/posts', {
    content: 'Kept over a restart',
    channelIds: [run.demo.channels[0].id],
    publishAt: inAnHour(),
  })
  expect(created.status).toBe(201)
  stack.child.kill('SIGINT')
  expect(await stack.ended).toMatchObject({ code: 0, stderr: '' })
  expectNothingLeft(folder)
  expect(existsSync(join(folder, 'run.json'))).toBe(false)
})

test('a second start on the folder has the same demo key and its post', async ({ folder }) => {
  const kept = JSON.parse(readFileSync(join(folder, 'demo.json'), 'utf8'))
  await using stack = await runStack(folder)
  expect(stack.run.demo).toEqual(kept)
  const { body } = await callApi(stack.run, 'GET', '/posts')
  const { data } = body as { data: Post[] }
  expect(data.map(({ content }) => content)).toEqual(['Kept over a restart'])
})

test('a start that was killed does not block the next one', async ({ folder }) => {
  const killed = await runStack(folder)
  killed.child.kill('SIGKILL')
  await killed.ended
  expect(existsSync(join(folder, 'run.json'))).toBe(true)
  await using stack = await runStack(folder)
  expect(stack.run.demo).toEqual(killed.run.demo)
})

test('a start on a folder in use is refused in a sentence and does no harm', async ({ folder }) => {
  await using stack = await runStack(folder)
  const refused = await runProgram('start.ts', [], folder).ended
  expect(refused).toEqual({
    code: 1,
    stdout: '',
    stderr: `Herald runs on ${folder} already (process ${stack.child.pid}). Stop that one first, or set HERALD_DATA_DIR.\n`,
  })
  expect(await callApi(stack.run, 'GET', '/me')).toMatchObject({ status: 200 })
  expect(existsSync(join(folder, 'run.json'))).toBe(true)
})

test('of two starts at the same time on an empty folder one runs', async () => {
  using folder = temporaryFolder(fastFolder())
  const programs = [1, 2].map(() => runProgram('start.ts', [], folder.path))
  const refused = await Promise.race(programs.map(({ ended }) => ended))
  expect(refused.stderr).toMatch(/^Herald runs on .* already \(process \d+\)/)
  await eventually(() => expect(existsSync(join(folder.path, 'run.json'))).toBe(true), {
    timeoutMs: 60_000,
  })
  for (const { child } of programs) child.kill('SIGINT')
  const codes = (await Promise.all(programs.map(({ ended }) => ended))).map(({ code }) => code)
  expect(new Set(codes)).toEqual(new Set([0, 1]))
  expectNothingLeft(folder.path)
})

test('a port that another program uses is told in a sentence, and nothing is left', async ({
  folder,
}) => {
  await using stack = await runStack(folder)
  using other = temporaryFolder(fastFolder())
  const { port } = new URL(stack.run.apiUrl)
  const refused = await runProgram('start.ts', [], other.path, { PORT: port }).ended
  expect(refused).toMatchObject({
    code: 1,
    stderr: `Another program uses port ${port} of the gateway. Set PORT to another one.\n`,
  })
  expectNothingLeft(other.path)
})

test('a PORT that is no port is refused before anything starts', async () => {
  using folder = temporaryFolder()
  const { code, stderr } = await runProgram('start.ts', [], folder.path, { PORT: '80a' }).ended
  expect([code, stderr]).toEqual([1, 'PORT must be a number from 0 to 65535.\n'])
})

test.for(['SIGINT', 'SIGTERM'] as const)(
  '%s while the servers start ends everything',
  async (signal) => {
    using folder = temporaryFolder(fastFolder())
    for (const word of ['Starting Postgres', 'Preparing the databases', 'Starting the services']) {
      const program = runProgram('start.ts', [], folder.path)
      await eventually(() => expect(program.output.stdout).toContain(word), { timeoutMs: 60_000 })
      program.child.kill(signal)
      expect((await program.ended).code).toBe(0)
      expectNothingLeft(folder.path)
      expect(existsSync(join(folder.path, 'run.json'))).toBe(false)
    }
  },
)

test.for([300, 700])('Ctrl-C %i ms after the first moment leaves no process', async (ms) => {
  using folder = temporaryFolder(fastFolder())
  const { child, ended } = runProgram('start.ts', [], folder.path)
  // Ctrl-C reaches the whole process group.
  setTimeout(() => process.kill(-child.pid!, 'SIGINT'), ms)
  await ended
  await eventually(() => expectNothingLeft(folder.path))
})

test('POSTGRES_URL and NATS_URL are used instead of servers of its own', async () => {
  using folder = temporaryFolder()
  await using postgres = await testPostgres()
  await using nats = await testNats()
  await using stack = await runStack(folder.path, {
    POSTGRES_URL: postgres.url,
    NATS_URL: nats.url,
  })
  expect(stack.run).toMatchObject({ postgresUrl: postgres.url, natsUrl: nats.url })
  expect(existsSync(join(folder.path, 'postgres'))).toBe(false)
  expect(existsSync(join(folder.path, 'nats'))).toBe(false)
  const { body } = await callApi(stack.run, 'GET', '/me')
  expect(body).toMatchObject({ organization: { id: stack.run.demo.organizationId, plan: 'PRO' } })
  stack.child.kill('SIGINT')
  expect((await stack.ended).code).toBe(0)
})
