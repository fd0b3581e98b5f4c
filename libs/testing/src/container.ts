import { setTimeout as wait } from 'node:timers/promises'
import { freePorts } from '@herald/local/free-port'
import { GenericContainer, getContainerRuntimeClient } from 'testcontainers'

/** What runs in a container, and how to see that it answers. */
export type ContainerKind = {
  image: string
  /** The port of the server in its container. */
  inner: number
  /** What its image needs besides: command, environment, folders. */
  prepare: (container: GenericContainer) => GenericContainer
  /** Asks the server itself: the port on this machine is open before there is a server behind it. */
  isReady: (port: number) => Promise<boolean>
}

/** A server in a container that a test may stop, kill, freeze and start again at the same port of 127.0.0.1. */
export type ServerContainer = AsyncDisposable & {
  port: number
  stop: () => Promise<void>
  /** Sends a signal and waits until the server has ended. */
  kill: (signal: NodeJS.Signals) => Promise<void>
  start: () => Promise<void>
  /** Sends a signal that the server goes on after. */
  signal: (signal: NodeJS.Signals) => Promise<void>
  pause: () => Promise<void>
  resume: () => Promise<void>
}

const READY_MS = 120_000
const MAX_STARTS = 5

/**
 * Starts a container on the Docker engine that testcontainers finds, which must be one of this machine, and waits until
 * its server answers. Disposing removes the container and its volumes. Throws when there is no engine, the image is
 * not to be had, or the server does not answer within two minutes.
 */
export async function startContainer(kind: ContainerKind): Promise<ServerContainer> {
  const { id, port } = await startOnFreePort(kind)
  const container = (await getContainerRuntimeClient()).container.getById(id)
  const remove = async () => void (await container.remove({ force: true, v: true }))
  const becomeReady = () => waitUntilReady(kind, port)
  await becomeReady().catch(async (error: unknown) => {
    await remove()
    throw error
  })
  return {
    port,
    stop: async () => void (await container.stop({ t: 20 })),
    async kill(signal) {
      await container.kill({ signal })
      await container.wait()
    },
    signal: async (signal) => void (await container.kill({ signal })),
    async start() {
      await container.start()
      await becomeReady()
    },
    pause: async () => void (await container.pause()),
    resume: async () => void (await container.unpause()),
    [Symbol.asyncDispose]: remove,
  }
}

/** The port is chosen here, because one that the engine chooses is another after each start. */
async function startOnFreePort(kind: ContainerKind): Promise<{ id: string; port: number }> {
  for (let start = 1; ; start++) {
    const [port = 0] = await freePorts(1)
    const container = kind
      .prepare(new GenericContainer(kind.image))
      .withExposedPorts({ container: kind.inner, host: port })
      .withStartupTimeout(READY_MS)
    try {
      return { id: (await container.start()).getId(), port }
    } catch (error) {
      // Somebody else may have taken the port in between.
      const portTaken = /address already in use|already allocated/i.test(String(error))
      if (!portTaken || start === MAX_STARTS) throw error
    }
  }
}

async function waitUntilReady({ image, isReady }: ContainerKind, port: number): Promise<void> {
  const deadline = Date.now() + READY_MS
  while (Date.now() < deadline) {
    if (await isReady(port)) return
    await wait(50)
  }
  throw new Error(`The container of ${image} did not answer within ${READY_MS / 1000} seconds.`)
}
