import { metrics, type ObservableResult } from '@opentelemetry/api'

/** One value of a gauge. Labels are of few different values: never an id, an address or what a person wrote. */
export type Measured = { value: number; labels?: Record<string, string> }

export type GaugeOptions = {
  name: string
  description: string
  /** Reads the present values, at each scrape. What rejects, or takes longer than 2 s, is left out of that scrape. */
  read: () => Measured[] | Promise<Measured[]>
}

const READ_WITHIN_MS = 2_000

/** Measures a gauge whenever somebody looks, and never otherwise. Returns how to stop that. */
export function observeGauge({ name, description, read }: GaugeOptions): () => void {
  const gauge = metrics.getMeter('herald').createObservableGauge(name, { description })
  const observe = async (result: ObservableResult) => {
    for (const { value, labels } of await inTime(read())) result.observe(value, labels)
  }
  gauge.addCallback(observe)
  return () => gauge.removeCallback(observe)
}

async function inTime<T>(work: T | Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error('It took too long.')), READ_WITHIN_MS)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
