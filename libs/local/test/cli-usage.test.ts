import { temporaryFolder } from '@herald/testing/temporary-folder'
import { describe, expect, test as base } from 'vitest'
import { runProgram } from './programs.ts'

// None of this needs a running Herald.
const test = base.extend<{ folder: string }>({
  folder: [
    async ({}, use) => {
      using folder = temporaryFolder()
      await use(folder.path)
    },
    { scope: 'file' },
  ],
})

const COMMANDS = [
  'org create',
  'org list',
  'org set-plan',
  'key create',
  'key list',
  'key revoke',
  'channel connect',
  'channel list',
  'channel disconnect',
  'post create',
  'post history',
  'post retry',
  'media list',
  'media get',
  'media delete',
  'media usage',
  'events tail',
  'dead-letters list',
  'dead-letters show',
  'dead-letters replay',
  'projections check',
  'projections rebuild',
]

describe('help', () => {
  test.for(['', ...new Set(COMMANDS.map((name) => name.split(' ')[0]!)), ...COMMANDS])(
    '"%s --help" exits 0 also when nothing runs',
    async (name, { folder }) => {
      const args = [...name.split(' ').filter(Boolean), '--help']
      const { code, stdout, stderr } = await runProgram('cli/main.ts', args, folder).ended
      expect([code, stderr]).toEqual([0, ''])
      expect(stdout).toContain(name || 'org create')
    },
  )

  test('names every command', async ({ folder }) => {
    const { stdout } = await runProgram('cli/main.ts', [], folder).ended
    for (const name of COMMANDS) expect(stdout).toContain(name)
  })
})

describe('a call in a wrong way exits 2 and says so on standard error only', () => {
  const WRONG: [string, string][] = [
    ['frobnicate', 'There is no command "frobnicate"'],
    ['org', 'There is no command "org"'],
    ['org create --plan PRO', '--name is missing'],
    ['media list --org org_1 --type picture', '--type must be one of image, video'],
    ['media list --org org_1 --limit 101', '--limit must be a number from 1 to 100'],
    ['org create --name A --plan GOLD', '--plan must be one of FREE, PRO, TEAM, ENTERPRISE'],
    ['org create --name A --plan PRO extra', '"extra" is one word too many'],
    ['org list --all', "Unknown option '--all'"],
    ['org set-plan --plan PRO', 'ORG is missing'],
    ['key create --org org_1 --name A --scopes write', '--scopes takes any of'],
    ['key revoke', 'KEY is missing'],
    ['key revoke key_1 --id key_2', '"key_2" is one word too many'],
    ['channel connect --org org_1', '--platform is missing'],
    [
      'channel connect --org a --platform FAX --base-url http://a --credentials {}',
      '--platform must be',
    ],
    [
      'channel connect --org a --platform X --base-url http://a --credentials a',
      '--credentials must be',
    ],
    ['post history', 'POST is missing'],
    ['dead-letters list --limit 0', '--limit must be a number from 1 to 1000'],
    ['dead-letters list --cursor x', 'digits only'],
    ['dead-letters show', 'LETTER is missing'],
    ['post retry --org a', 'POST is missing'],
    ['post retry post_1', '--org is missing'],
    [
      'post retry post_1 --org a --include-unconfirmed=yes',
      "'--include-unconfirmed' does not take",
    ],
  ]
  test.for(WRONG)('%s', async ([line, message], { folder }) => {
    const args = [...line.split(' '), '--json']
    const { code, stdout, stderr } = await runProgram('cli/main.ts', args, folder).ended
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(message)
  })
})

test('a folder on which no Herald runs is told, and exits 1', async ({ folder }) => {
  const { code, stdout, stderr } = await runProgram('cli/main.ts', ['org', 'list'], folder).ended
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toBe(
    `Herald does not run on ${folder}. Start it with "npm start", or set NATS_URL.\n`,
  )
})

test('a NATS that does not answer is told, and exits 1', async ({ folder }) => {
  const env = { NATS_URL: 'nats://127.0.0.1:1' }
  const { code, stderr } = await runProgram('cli/main.ts', ['org', 'list'], folder, env).ended
  expect([code, stderr]).toEqual([1, 'NATS does not answer.\n'])
})
