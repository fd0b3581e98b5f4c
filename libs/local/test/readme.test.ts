import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { Media } from '@herald/contracts/media'
import { temporaryFolder } from '@herald/testing/temporary-folder'
import { expect, test } from 'vitest'
import { testWorld } from './world.ts'

const README = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8')
const missing = ['sh', 'curl', 'base64'].filter(
  (name) => spawnSync('/bin/sh', ['-c', `command -v ${name}`]).status !== 0,
)
const skipped = missing.length === 0 ? '' : ` (skipped: there is no ${missing.join(', no ')})`

/** The block of commands below a heading. */
function commandsOf(heading: string): string {
  const [, section = ''] = README.split(`\n## ${heading}\n`)
  const [, block = ''] = section.split(/^```$/m)
  return block
}

test.skipIf(skipped !== '')(
  `the three curl commands of the README upload a file as they stand${skipped}`,
  async () => {
    await using world = await testWorld()
    using folder = temporaryFolder()
    const commands = commandsOf('Upload a file with three curl commands')
    expect(commands.match(/\bcurl /g)).toHaveLength(3)
    const shell = spawn('sh', ['-eu', '-c', commands], {
      cwd: folder.path,
      env: { PATH: process.env.PATH, KEY: world.apiKey, API: `${world.apiUrl}/v1` },
      timeout: 30_000,
    })
    const [said, complained] = await Promise.all([
      text(shell.stdout),
      text(shell.stderr),
      once(shell, 'close'),
    ])
    expect(complained).toBe('')
    const file = Media.parse(JSON.parse(said))
    expect(file).toMatchObject({ status: 'ready', fileName: 'dot.png', width: 1, height: 1 })
    expect(await world.herald.media.get(file.id)).toMatchObject({ status: 'ready', sizeBytes: 67 })
  },
)
