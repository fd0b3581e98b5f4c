import { freePorts } from '../free-port.ts'
import type { Env } from '../services.ts'
import type { Balancer } from './balancer.ts'
import { type Replica, type ReplicatedService, startReplica } from './replica.ts'

export type ProcessesOptions = {
  /** What leads to the calls of each service, and to the API. */
  roads: Record<ReplicatedService, Balancer>
  /** What leads to the file servers of the media service. */
  files: Balancer
  env: (name: ReplicatedService) => Env
}

export type Processes = AsyncDisposable & {
  /** Starts one more process of a service; resolves when it is ready and connections can be led to it. */
  add: (name: ReplicatedService) => Promise<Replica>
  /** Tells the oldest process of a service to end, as Kubernetes does; answers its exit code when it has. */
  stopOldest: (name: ReplicatedService) => Promise<number | null>
  /** Kills the oldest process of a service; nothing is led to it any more. */
  killOldest: (name: ReplicatedService) => Promise<void>
}

type Running = { replica: Replica; leave: () => void }

const START_TRIES = 3

/** The processes of a cluster. Disposing kills those that still run. */
export function makeProcesses(options: ProcessesOptions): Processes {
  const all: Running[] = []
  const forget = (gone: Running) => {
    gone.leave()
    all.splice(all.indexOf(gone), 1)
  }
  const oldestOf = (name: ReplicatedService) => {
    const found = all.find(({ replica }) => replica.name === name)
    if (!found) throw new Error(`No process of ${name} runs.`)
    return found
  }
  const start = async (name: ReplicatedService) => {
    const one = await launch(options, name)
    all.push(one)
    try {
      await one.replica.untilReady()
    } catch (error) {
      forget(one)
      throw error
    }
    return one.replica
  }
  return {
    add: async (name) => {
      for (let tries = 1; ; tries++)
        try {
          return await start(name)
        } catch (error) {
          // Another program may have taken the port meanwhile.
          if (tries === START_TRIES) throw error
        }
    },
    stopOldest: async (name) => {
      const old = oldestOf(name)
      const exitCode = await old.replica.stop()
      forget(old)
      return exitCode
    },
    killOldest: async (name) => {
      const old = oldestOf(name)
      await old.replica.kill()
      forget(old)
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(all.map(({ replica }) => replica.kill()))
    },
  }
}

async function launch(
  { roads, files, env }: ProcessesOptions,
  name: ReplicatedService,
): Promise<Running> {
  const [port = 0, filesPort = 0] = await freePorts(2)
  const replica = startReplica(name, port, { ...env(name), FILES_PORT: String(filesPort) })
  const { readyUrl } = replica
  // Calls reach a process that is not ready too, as the chart's Services have it; it is not ready without NATS.
  const leave = [roads[name].add(name === 'gateway' ? { port, readyUrl } : { port })]
  if (name === 'media') leave.push(files.add({ port: filesPort, readyUrl }))
  return { replica, leave: () => leave.forEach((each) => each()) }
}
