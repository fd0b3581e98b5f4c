/** What a run of one thing came to. */
export type Measured = { name: string; perSecond: number; p50: number; p99: number }

/**
 * Does something over and over with a fixed number of workers for some seconds, after a warm-up of a second, and
 * counts. Latencies are in milliseconds.
 */
export async function measure(
  name: string,
  workers: number,
  seconds: number,
  work: () => Promise<unknown>,
): Promise<Measured> {
  await runFor(workers, 1, work)
  const latencies = await runFor(workers, seconds, work)
  return { name, perSecond: latencies.length / seconds, ...percentiles(latencies) }
}

async function runFor(
  workers: number,
  seconds: number,
  work: () => Promise<unknown>,
): Promise<number[]> {
  const latencies: number[] = []
  const end = performance.now() + seconds * 1000
  await Promise.all(
    Array.from({ length: workers }, async () => {
      while (performance.now() < end) {
        const started = performance.now()
        await work()
        latencies.push(performance.now() - started)
      }
    }),
  )
  return latencies
}

/** The median and the 99th percentile. */
export function percentiles(values: number[]): { p50: number; p99: number } {
  const sorted = values.toSorted((one, other) => one - other)
  const at = (part: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
  return { p50: at(0.5), p99: at(0.99) }
}

/** Runs each of several things in turn, a few rounds, so that noise of the machine meets all of them; keeps the medians. */
export async function compare(
  rounds: number,
  runs: (() => Promise<Measured>)[],
): Promise<Measured[]> {
  const all: Measured[][] = runs.map(() => [])
  for (let round = 0; round < rounds; round++)
    for (const [index, run] of runs.entries()) all[index]?.push(await run())
  return all.map((results) => {
    const sorted = results.toSorted((one, other) => one.perSecond - other.perSecond)
    return sorted[Math.floor(sorted.length / 2)] ?? { name: '', perSecond: 0, p50: 0, p99: 0 }
  })
}

/** Prints the results and the ratio of the first to each of the others. */
export function report(results: Measured[]): void {
  for (const { name, perSecond, p50, p99 } of results)
    console.log(
      `${name.padEnd(34)} ${perSecond.toFixed(0).padStart(8)}/s   p50 ${p50.toFixed(2)} ms   p99 ${p99.toFixed(2)} ms`,
    )
  const [first, ...others] = results
  for (const other of others)
    if (first)
      console.log(`ratio to ${other.name}: ${(first.perSecond / other.perSecond).toFixed(2)}`)
}
