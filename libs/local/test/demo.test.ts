import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fastFolder, temporaryFolder } from '@herald/testing/temporary-folder'
import { expect, test } from 'vitest'
import { expectNothingLeft, runProgram, runStack } from './programs.ts'

const LIVE = (platform: string) =>
  new RegExp(
    `^${platform} is live at http://127\\.0\\.0\\.1:\\d+/\\S+, \\d+ ms after its time\\.$`,
    'm',
  )

test('the demo starts a Herald when none runs, shows where the post is live, and stops it', async () => {
  using folder = temporaryFolder(fastFolder())
  const { code, stdout, stderr } = await runProgram('demo.ts', [], folder.path).ended
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(LIVE('MASTODON'))
  expect(stdout).toMatch(LIVE('BLUESKY'))
  expect(stdout).toContain('Both channels have it exactly once.')
  expectNothingLeft(folder.path)
  expect(existsSync(join(folder.path, 'run.json'))).toBe(false)
})

test('the demo uses a Herald that runs and leaves it running', async () => {
  using folder = temporaryFolder(fastFolder())
  await using stack = await runStack(folder.path)
  const { code, stdout } = await runProgram('demo.ts', [], folder.path).ended
  expect(code).toBe(0)
  expect(stdout).not.toContain('Starting')
  expect((await fetch(stack.run.sandboxUrl)).status).toBe(200)
})

test('Ctrl-C during the demo ends the Herald that it started', async () => {
  using folder = temporaryFolder(fastFolder())
  const demo = runProgram('demo.ts', [], folder.path)
  await expect.poll(() => demo.output.stdout, { timeout: 60_000 }).toContain('is scheduled for')
  demo.child.kill('SIGINT')
  expect((await demo.ended).code).toBe(130)
  expectNothingLeft(folder.path)
})
