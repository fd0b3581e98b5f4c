import { get } from 'node:http'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** Where a replica listens, and whom to ask whether it is ready; without that it counts as ready. */
export type Target = { port: number; readyUrl?: string }

export type Balancer = AsyncDisposable & {
  url: string
  /** Leads connections to a replica as well, as soon as it is ready. Returns how to stop that at once. */
  add: (target: Target) => () => void
  /** Resolves when so many replicas are ready, at most 120 s later. */
  untilReady: (count: number) => Promise<void>
}

const ASK_EVERY_MS = 250
const ANSWER_WITHIN_MS = 3_000
const READY_WITHIN_MS = 120_000

/** So many questions without an answer in a row make a replica count as not ready; a no counts at once. */
const SILENCES = 3

type Known = Target & { isReady: boolean; silences: number; isAsked: boolean }

/**
 * One address for the replicas of a service on 127.0.0.1, as a Service of Kubernetes is one: every new connection goes to
 * the next ready replica, and stays there until one side ends it. What it knows of readiness is a little old. A
 * connection to a replica that is gone breaks, which the client sees.
 */
export async function startBalancer(): Promise<Balancer> {
  const targets = new Set<Known>()
  const open = new Set<Socket>()
  let turn = 0

  const lead = (client: Socket) => {
    const ready = [...targets].filter(({ isReady }) => isReady)
    const target = ready[(turn += 1) % ready.length]
    if (!target) return void client.destroy()
    const server = connect({ port: target.port, host: '127.0.0.1', noDelay: true })
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      open.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => (open.delete(one), other.destroySoon()))
      one.pipe(other)
    }
  }

  const listener = createServer({ noDelay: true }, lead)
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const look = async (target: Known) => {
    if (target.readyUrl === undefined || target.isAsked) return
    target.isAsked = true
    const answer = await askReady(target.readyUrl)
    target.isAsked = false
    target.silences = answer === 'silent' ? target.silences + 1 : 0
    if (answer !== 'silent') target.isReady = answer === 'yes'
    else if (target.silences >= SILENCES) target.isReady = false
  }
  const looking = setInterval(() => {
    for (const target of targets) void look(target)
  }, ASK_EVERY_MS)

  return {
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    add: (target) => {
      const isReady = target.readyUrl === undefined
      const known = { ...target, isReady, silences: 0, isAsked: false }
      targets.add(known)
      return () => void targets.delete(known)
    },
    untilReady: async (count) => {
      const deadline = performance.now() + READY_WITHIN_MS
      while ([...targets].filter(({ isReady }) => isReady).length < count) {
        if (performance.now() > deadline) throw new Error('The replicas did not become ready.')
        await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS / 5))
      }
    },
    async [Symbol.asyncDispose]() {
      clearInterval(looking)
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => listener.close(resolve))
    },
  }
}

/** Asks on a connection of its own, as a kubelet does. */
export function askReady(url: string): Promise<'yes' | 'no' | 'silent'> {
  return new Promise((resolve) => {
    const asked = get(url, { agent: false, timeout: ANSWER_WITHIN_MS }, (response) => {
      response.resume()
      resolve(response.statusCode === 200 ? 'yes' : 'no')
    })
    asked.on('timeout', () => asked.destroy())
    asked.on('error', () => resolve('silent'))
  })
}
