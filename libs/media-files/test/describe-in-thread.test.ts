import { expect, test } from 'vitest'
import { inThread } from '../src/describe/in-thread.ts'

const ANSWER = 'import { parentPort, workerData } from "node:worker_threads";'

test('the first message of the script is the answer', async () => {
  const script = code(`${ANSWER} console.log('noise'); parentPort.postMessage(workerData + 1)`)
  expect(await inThread(script, 41, 10_000)).toBe(42)
})

test.each([
  ['throws', 'throw new Error("no")'],
  ['fails later', 'setTimeout(() => { throw "no" })'],
  ['rejects a promise', 'void Promise.reject(1); setInterval(() => 0, 1000)'],
  ['ends without a message', ''],
  ['ends the process', 'process.exit(1)'],
  ['uses up its memory', 'const all = []; for (;;) all.push(new Array(100_000).fill(all.length))'],
  ['is no program', 'this is no program'],
])('a script that %s has no answer and does no harm', async (_, script) => {
  expect(await inThread(code(script), null, 30_000)).toBeUndefined()
})

test.each([
  ['waits for ever', 'setInterval(() => 0, 1000)'],
  ['never comes to an end', 'for (;;);'],
])('a script that %s is ended', async (_, script) => {
  expect(await inThread(code(script), null, 300)).toBeUndefined()
})

test('what cannot be given to a thread, or run, has no answer', async () => {
  expect(await inThread(code(ANSWER), () => 1, 1000)).toBeUndefined()
  expect(await inThread(new URL('file:///nowhere.ts'), 1, 10_000)).toBeUndefined()
})

function code(text: string): URL {
  return new URL(`data:text/javascript,${encodeURIComponent(text)}`)
}
