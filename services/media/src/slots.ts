import { unavailable } from '@herald/contracts/errors'

export type Slots = {
  /** Does the work when there is a slot for it. Throws 503 when there is none within the time to wait. */
  run: <T>(owner: string, work: () => Promise<T>) => Promise<T>
}

type Waiting = { owner: string; enter: () => void }

/**
 * Lets so many pieces of work run at a time, and so many of one owner, so that nobody can take all places. Who waits
 * is served in order, except that an owner whose places are taken is passed by.
 */
export function slots(limits: { most: number; mostOfOne: number; waitMs: number }): Slots {
  const running = new Map<string, number>()
  const waiting: Waiting[] = []
  let taken = 0

  const isFree = (owner: string) =>
    taken < limits.most && (running.get(owner) ?? 0) < limits.mostOfOne

  const take = (owner: string) => {
    taken += 1
    running.set(owner, (running.get(owner) ?? 0) + 1)
  }

  const giveBack = (owner: string) => {
    taken -= 1
    const left = (running.get(owner) ?? 1) - 1
    if (left > 0) running.set(owner, left)
    else running.delete(owner)
    const next = waiting.findIndex((entry) => isFree(entry.owner))
    if (next !== -1) waiting.splice(next, 1)[0]?.enter()
  }

  const wait = (owner: string) =>
    new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(entry), 1)
        reject(unavailable())
      }, limits.waitMs)
      const entry: Waiting = {
        owner,
        enter: () => {
          clearTimeout(timer)
          take(owner)
          resolve()
        },
      }
      waiting.push(entry)
    })

  return {
    async run(owner, work) {
      if (isFree(owner)) take(owner)
      else await wait(owner)
      try {
        return await work()
      } finally {
        giveBack(owner)
      }
    },
  }
}
