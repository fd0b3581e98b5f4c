import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'

test('a process kills itself at the named point, and at no other', async () => {
  const program = `
    import { crashPoint } from '@herald/service/crash-point'
    crashPoint('before')
    crashPoint('point')
    console.log('passed')
    crashPoint('point')
    console.log('passed twice')`
  const run = (at: string) => start(program, { HERALD_CRASH_AT: at }).ended
  expect(await run('point')).toEqual({ end: 'SIGKILL', output: '' })
  expect(await run('point#2')).toEqual({ end: 'SIGKILL', output: 'passed\n' })
  for (const none of ['', 'poin', 'point#3'])
    expect(await run(none)).toEqual({ end: 0, output: 'passed\npassed twice\n' })
})

test('those who come by a point of many wait there, until the last one ends the process', async () => {
  const program = `
    import { crashPointOfMany } from '@herald/service/crash-point'
    const pass = async (name) => {
      await crashPointOfMany(name)
      console.log(name)
    }
    await pass('before')
    await Promise.race([pass('point'), pass('other')])
    await Promise.all([pass('point'), pass('point')])
    console.log('passed')`
  const run = (at: string) => start(program, { HERALD_CRASH_AT: at }).ended
  expect(await run('point*3')).toEqual({ end: 'SIGKILL', output: 'before\nother\n' })
  expect(await run('')).toEqual({
    end: 0,
    output: 'before\npoint\nother\npoint\npoint\npassed\n',
  })
})

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s closes the service, then the process ends with 0',
  async (signal) => {
    const { child, says, ended } = start(life('clearInterval(open)'))
    await says('started')
    child.kill(signal)
    expect(await ended).toEqual({ end: 0, output: 'started\nclosing\n' })
  },
)

test('a process ends even when a library keeps something open', async () => {
  const { child, says, ended } = start(life(''))
  await says('started')
  child.kill('SIGTERM')
  expect(await ended).toMatchObject({ end: 0 })
})

test('a signal during the start lets the start end, and closes', async () => {
  const slowStart = 'await new Promise((resolve) => setTimeout(resolve, 300))'
  const { child, says, ended } = start(life('clearInterval(open)', slowStart))
  await says('started')
  child.kill('SIGTERM')
  expect(await ended).toEqual({ end: 0, output: 'started\nclosing\n' })
})

test('a second signal ends a close that hangs', async () => {
  const { child, says, ended } = start(life('await new Promise(() => {})'))
  await says('started')
  child.kill('SIGTERM')
  await says('closing')
  child.kill('SIGTERM')
  expect(await ended).toMatchObject({ end: 1 })
})

test.each([
  ['a start that fails', `throw new Error('canary')`],
  ['a rejection that nobody handles', `void Promise.reject(new Error('canary'))`],
  ['an exception that nobody catches', `setImmediate(() => { throw new Error('canary') })`],
])('%s ends the process with 1 and a line in the log', async (_, atStart) => {
  const { ended } = start(life('', atStart))
  const { end, output } = await ended
  expect(end).toBe(1)
  expect(output).toContain('canary')
})

test('a close that fails ends the process with 1 and a line in the log', async () => {
  const { child, says, ended } = start(life(`throw new Error('canary')`))
  await says('started')
  child.kill('SIGTERM')
  const { end, output } = await ended
  expect(end).toBe(1)
  expect(output).toContain('canary')
})

/** A program with a service that keeps the process until it is closed. */
function life(atClose: string, atStart = ''): string {
  return `
    import { runUntilSignal } from '@herald/service/shutdown'
    await runUntilSignal(async () => {
      const open = setInterval(() => {}, 1_000)
      console.log('started')
      ${atStart}
      const close = async () => {
        console.log('closing')
        ${atClose}
      }
      return { close }
    })`
}

function start(program: string, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    cwd: import.meta.dirname,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  const says = async (text: string) => {
    while (!output.includes(text)) await once(child.stdout, 'data')
  }
  const ended = once(child, 'close').then(() => ({
    end: child.exitCode ?? child.signalCode,
    output,
  }))
  return { child, says, ended }
}
