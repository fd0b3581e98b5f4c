import { eventually } from '@herald/testing/eventually'
import { temporaryFolder } from '@herald/testing/temporary-folder'
import { spawn } from 'node:child_process'
import { chmodSync, existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { join } from 'node:path'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { childrenOf } from '../src/workers/process-usage.ts'
import { type Jail, probeJail } from '../src/workers/isolation.ts'
import { openWorkerPool, type WorkerPool } from '../src/workers/worker-pool.ts'
import type { PoolOptions } from '../src/workers/worker-slots.ts'
import type { TaskLimits } from '../src/workers/task.ts'
import type { Deed } from './misbehaving-worker.ts'

const module = fileURLToPath(new URL('./misbehaving-worker.ts', import.meta.url))
const MEGABYTE = 1024 * 1024
const generous: TaskLimits = { wallMs: 30_000, cpuMs: 30_000, memoryBytes: 400 * MEGABYTE }

let jail: Jail
let open: WorkerPool[] = []

beforeAll(async () => {
  jail = await probeJail({
    readableFile: module,
    limits: { cpuSeconds: 60, memoryBytes: 2048 * MEGABYTE },
  })
})

afterEach(async () => {
  await Promise.all(open.map((pool) => pool.close()))
  open = []
})

function openPool(options: Partial<PoolOptions> = {}) {
  const pool = openWorkerPool({
    jail: jail.command,
    module,
    maxBodyBytes: 1_000,
    size: 1,
    maxWaiting: 100,
    maxWaitMs: 60_000,
    idleMs: 60_000,
    tasksPerWorker: 50,
    ...options,
  })
  open.push(pool)
  const run = (deed: Deed, limits: Partial<TaskLimits> = {}) =>
    pool.run(deed, { ...generous, ...limits }, (reply) => reply)
  return { ...pool, run }
}

describe('a task is answered as failed and its worker is gone', () => {
  test.each<[string, Deed, Partial<TaskLimits>, string]>([
    ['it loops for ever', { deed: 'loop' }, { wallMs: 300 }, 'too-slow'],
    ['it computes for ever', { deed: 'loop' }, { cpuMs: 200 }, 'too-slow'],
    ['it waits for ever', { deed: 'sleep' }, { wallMs: 300 }, 'too-slow'],
    ['it allocates without end', { deed: 'allocate' }, {}, 'too-large'],
    ['what it started allocates without end', { deed: 'child-allocates' }, {}, 'too-large'],
    ['it exits', { deed: 'exit' }, {}, 'died'],
    ['it crashes', { deed: 'crash' }, {}, 'died'],
    ['it writes what is no message', { deed: 'garbage' }, {}, 'died'],
    ['it writes a message that is no JSON', { deed: 'break-json' }, {}, 'died'],
    ['it announces a message of four gigabytes', { deed: 'endless-message' }, {}, 'died'],
  ])('when %s', async (_, deed, limits, reason) => {
    const pool = openPool()
    await pool.run({ deed: 'answer', with: 1 })
    const before = processTree(pool.pids())
    await expect(pool.run(deed, limits)).rejects.toMatchObject({ name: 'TaskFailed', reason })
    await eventually(() => expect(before.filter(isAlive)).toEqual([]))
    expect(await pool.run({ deed: 'answer', with: 'replaced' })).toBe('replaced')
  })
})

test('an answer that its reader throws on ends the worker', async () => {
  const pool = openPool()
  await pool.run({ deed: 'answer', with: 1 })
  const before = processTree(pool.pids())
  const refuse = () => {
    throw new Error('This is no answer.')
  }
  const answer = open[0]?.run({ deed: 'answer', with: 1 }, generous, refuse)
  await expect(answer).rejects.toMatchObject({ reason: 'died' })
  await eventually(() => expect(before.filter(isAlive)).toEqual([]))
})

test('a second answer is not taken for the answer of the next task', async () => {
  const pool = openPool()
  expect(await pool.run({ deed: 'answer-twice' })).toBe('first')
  expect(await pool.run({ deed: 'answer', with: 'next' })).toBe('next')
})

test('fifty tasks at once are all answered, each with its own answer, by two workers', async () => {
  const pool = openPool({ size: 2, tasksPerWorker: 7 })
  const tasks = Array.from({ length: 50 }, (_, with_) => pool.run({ deed: 'answer', with: with_ }))
  expect(pool.pids()).toHaveLength(2)
  expect(await Promise.all(tasks)).toEqual(Array.from({ length: 50 }, (_, index) => index))
})

test('good tasks are answered while others kill their workers', async () => {
  const pool = openPool({ size: 2 })
  const deeds = Array.from({ length: 12 }, (_, index) =>
    pool
      .run(index % 3 === 0 ? { deed: 'crash' } : { deed: 'answer', with: index })
      .catch((error: Error) => error.name),
  )
  expect(await Promise.all(deeds)).toEqual(
    Array.from({ length: 12 }, (_, index) => (index % 3 === 0 ? 'TaskFailed' : index)),
  )
})

test('a task beyond the queue is refused as busy and nothing of it is done', async () => {
  const pool = openPool({ maxWaiting: 1 })
  const first = pool.run({ deed: 'answer', with: 1 })
  const second = pool.run({ deed: 'answer', with: 2 })
  await expect(pool.run({ deed: 'answer', with: 3 })).rejects.toMatchObject({ name: 'WorkersBusy' })
  expect(await Promise.all([first, second])).toEqual([1, 2])
})

test('a task that waits too long for a worker is refused as busy', async () => {
  const pool = openPool({ maxWaitMs: 100 })
  const first = pool.run({ deed: 'sleep' }, { wallMs: 2_000 }).catch((error: Error) => error.name)
  await expect(pool.run({ deed: 'answer', with: 2 })).rejects.toMatchObject({ name: 'WorkersBusy' })
  expect(await first).toBe('TaskFailed')
})

test('a worker that dies before it begins a task costs another worker, not the file', async () => {
  const pool = openPool()
  await expect(pool.run({ deed: 'exit-unstarted' })).rejects.toMatchObject({
    reason: 'not-started',
  })
  expect(await pool.run({ deed: 'answer', with: 1 })).toBe(1)
})

test('an idle worker that is killed from outside is replaced and nobody notices', async () => {
  const pool = openPool()
  expect(await pool.run({ deed: 'answer', with: 1 })).toBe(1)
  for (const pid of processTree(pool.pids())) process.kill(pid, 'SIGKILL')
  expect(await pool.run({ deed: 'answer', with: 2 })).toBe(2)
})

test('a worker is replaced after as many tasks as it may do', async () => {
  const pool = openPool({ tasksPerWorker: 2 })
  const pids = new Set<number>()
  for (let task = 0; task < 5; task += 1) {
    await pool.run({ deed: 'answer', with: task })
    for (const pid of pool.pids()) pids.add(pid)
  }
  expect(pids.size).toBe(3)
})

test('an idle worker is ended and the next task starts another', async () => {
  const pool = openPool({ idleMs: 50 })
  await pool.run({ deed: 'answer', with: 1 })
  await eventually(() => expect(pool.pids()).toEqual([]))
  expect(await pool.run({ deed: 'answer', with: 2 })).toBe(2)
})

test('closing leaves no process and refuses what waits and what comes', async () => {
  const pool = openPool({ size: 2 })
  await Promise.all([1, 2].map((with_) => pool.run({ deed: 'answer', with: with_ })))
  const processes = processTree(pool.pids())
  const tasks = [1, 2, 3].map(() => pool.run({ deed: 'loop' }))
  const outcomes = Promise.allSettled(tasks)
  await pool.close()
  for (const outcome of await outcomes) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: { reason: 'closed' } })
  }
  await expect(pool.run({ deed: 'loop' })).rejects.toMatchObject({ reason: 'closed' })
  await eventually(() => expect(processes.filter(isAlive)).toEqual([]))
})

test('a worker that cannot start is an error of the machine that says why', async () => {
  const pool = openPool({ module: '/nowhere/worker.ts', jail: [] })
  await expect(pool.run({ deed: 'sleep' })).rejects.toThrow(/did not start.*Cannot find module/s)
})

test('a program that is not there is an error of the machine', async () => {
  const pool = openPool({ jail: ['/nowhere/prlimit'] })
  await expect(pool.run({ deed: 'sleep' })).rejects.toThrow('did not start')
})

test(
  'workers that loop end with a parent that is killed',
  { skip: process.platform !== 'linux' },
  async () => {
    const script = `
    import { openWorkerPool } from ${JSON.stringify(new URL('../src/workers/worker-pool.ts', import.meta.url).href)}
    const pool = openWorkerPool(${JSON.stringify({ jail: jail.command, module, maxBodyBytes: 1000, size: 1, maxWaiting: 1, maxWaitMs: 1e4, idleMs: 1e4, tasksPerWorker: 9 })})
    await pool.run({ deed: 'answer', with: 1 }, { wallMs: 6e4, cpuMs: 6e4, memoryBytes: 1e9 }, () => 1)
    process.stdout.write(String(pool.pids()[0]))
    await pool.run({ deed: 'loop' }, { wallMs: 6e4, cpuMs: 6e4, memoryBytes: 1e9 }, () => 1)
  `
    const parent = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [said] = (await once(parent.stdout, 'data')) as [Buffer]
    const processes = processTree([Number(said.toString())])
    expect(processes.filter(isAlive)).not.toEqual([])
    parent.kill('SIGKILL')
    await eventually(() => expect(processes.filter(isAlive)).toEqual([]))
  },
)

describe('a worker', () => {
  test('sees nothing of the environment and cannot make code from strings', async () => {
    const surroundings = await openPool().run({ deed: 'surroundings' })
    expect(surroundings).toMatchObject({ canEvaluate: false })
    const { environment } = surroundings as { environment: string[] }
    expect(environment.filter((name) => !/^(NODE_NO_WARNINGS|VIPS_|MALLOC_)/.test(name))).toEqual(
      [],
    )
  })

  test('has the rights that the report on its isolation says', async () => {
    const { isolation } = jail
    expect(await openPool().run({ deed: 'surroundings' })).toMatchObject({
      userId: isolation.userId ?? process.getuid?.(),
      noNewPrivileges: isolation.noNewPrivileges,
      processId: isolation.processes ? 1 : expect.any(Number),
    })
  })

  test('reaches a server on this machine only when the report says that it has no network of its own', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    const answer = await openPool().run({ deed: 'connect', port })
    server.close()
    expect(answer).toBe(jail.isolation.network ? 'ENETUNREACH' : 'connected')
  })

  test('cannot fill the disk where limits are there', async () => {
    using folder = temporaryFolder()
    chmodSync(folder.path, 0o777)
    const file = join(folder.path, 'large')
    const task = openPool().run({ deed: 'write-large-file', file })
    const outcome = await task.catch((error: { reason: string }) => error.reason)
    const isLimited = jail.isolation.resourceLimits
    expect(outcome).toBe(isLimited ? 'EFBIG' : 'written')
  })

  test('works without any of the programs that lock it in', async () => {
    expect(await openPool({ jail: [] }).run({ deed: 'answer', with: 1 })).toBe(1)
  })
})

function processTree(pids: number[]): number[] {
  return pids.flatMap((pid) => [pid, ...processTree(childrenOf(pid))])
}

/** A process that has ended and that nobody has asked for yet, a zombie, is not alive. */
function isAlive(pid: number): boolean {
  if (!existsSync(`/proc/${pid}/stat`)) return false
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    return false
  }
}
