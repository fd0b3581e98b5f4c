/**
 * Works on one batch at a time: what comes while a batch is in work goes into the next one, so that batches get larger
 * under load instead of more. What comes alone is worked on at once. The outcomes are in the order of the items; when
 * the work fails, every item of its batch fails.
 */
export function inBatches<Item, Outcome>(
  work: (items: Item[]) => Promise<Outcome[]>,
  most: number,
): (item: Item) => Promise<Outcome> {
  type Waiting = PromiseWithResolvers<Outcome> & { item: Item }
  let waiting: Waiting[] = []
  let isWorking = false

  const next = async (): Promise<void> => {
    const batch = waiting.slice(0, most)
    waiting = waiting.slice(most)
    try {
      const outcomes = await work(batch.map(({ item }) => item))
      for (const [index, outcome] of outcomes.entries()) batch[index]?.resolve(outcome)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
    isWorking = waiting.length > 0
    if (isWorking) void next()
  }

  return (item) => {
    const one: Waiting = { ...Promise.withResolvers<Outcome>(), item }
    waiting.push(one)
    if (!isWorking) {
      isWorking = true
      // After everything that has arrived in this turn of the event loop was read.
      setImmediate(() => void next())
    }
    return one.promise
  }
}
