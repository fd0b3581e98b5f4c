import { expect } from 'vitest'

/** One line of what a process measures. */
export type Sample = { name: string; labels: Record<string, string>; value: number }

/** What a process measures now, as Prometheus would read it. */
export async function scrape(port: number): Promise<Sample[]> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`)
  expect(response.headers.get('content-type')).toMatch(/^text\/plain/)
  const lines = (await response.text()).split('\n')
  return lines.filter((line) => line !== '' && !line.startsWith('#')).map(readLine)
}

/** The samples of a name whose labels are these, and any others. */
export function pick(samples: Sample[], name: string, labels: Record<string, string> = {}) {
  const wanted = Object.entries(labels)
  return samples.filter(
    (sample) =>
      sample.name === name && wanted.every(([label, value]) => sample.labels[label] === value),
  )
}

/** The sum of the samples of a name whose labels are these, and any others; nothing where there are none. */
export function sum(samples: Sample[], name: string, labels: Record<string, string> = {}) {
  const found = pick(samples, name, labels)
  return found.length > 0 ? found.reduce((total, { value }) => total + value, 0) : undefined
}

function readLine(line: string): Sample {
  const [, name = '', labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
  expect(name, line).not.toBe('')
  const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)]
  return {
    name,
    labels: Object.fromEntries(pairs.map(([, label = '', text = '']) => [label, text])),
    value: value === '+Inf' ? Infinity : Number(value),
  }
}
