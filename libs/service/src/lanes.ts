/** Work in lanes: pieces of one lane run one after the other, those of different lanes side by side. */
export type Lanes = {
  /** Puts a piece of work at the end of a lane. It must not reject. */
  add: (lane: string, work: () => Promise<void>) => void
  /** Resolves when fewer than so many pieces wait or run. */
  roomBelow: (limit: number) => Promise<void>
  /** Resolves when nothing waits or runs. */
  idle: () => Promise<void>
}

/** Makes an empty set of lanes. */
export function makeLanes(): Lanes {
  const ends = new Map<string, Promise<void>>()
  const waiting: { limit: number; resolve: () => void }[] = []
  let size = 0

  const leave = (lane: string, piece: Promise<void>) => {
    size -= 1
    if (ends.get(lane) === piece) ends.delete(lane)
    for (const waiter of waiting.splice(0))
      if (size < waiter.limit) waiter.resolve()
      else waiting.push(waiter)
  }

  const roomBelow = (limit: number) =>
    size < limit
      ? Promise.resolve()
      : new Promise<void>((resolve) => waiting.push({ limit, resolve }))

  return {
    add: (lane, work) => {
      size += 1
      const piece = (ends.get(lane) ?? Promise.resolve())
        .then(work)
        .finally(() => leave(lane, piece))
      ends.set(lane, piece)
    },
    roomBelow,
    idle: () => roomBelow(1),
  }
}

/** Runs a function as soon as a slot is free. */
export type Slots = <T>(run: () => Promise<T>) => Promise<T>

/** At most so many functions run at a time; others wait for their turn in the order they came. */
export function makeSlots(count: number): Slots {
  const waiting: (() => void)[] = []
  let free = count
  return async (run) => {
    if (free > 0) free -= 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await run()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free += 1
    }
  }
}
