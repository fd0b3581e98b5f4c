import { monitorEventLoopDelay } from 'node:perf_hooks'
import { observeGauge } from './observe-gauge.ts'

const RESOLUTION_MS = 20
const NANOSECONDS = 1e9

/** Measures how late the process comes to its events, between one reading and the next. */
export function measureEventLoop(): void {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delay.enable()
  observeGauge({
    name: 'herald_event_loop_delay_seconds',
    description: 'How late the process comes to its events, since the last reading.',
    read: () => {
      const measured = [
        { value: delay.percentile(50), labels: { quantile: '0.5' } },
        { value: delay.percentile(99), labels: { quantile: '0.99' } },
        { value: delay.max, labels: { quantile: '1' } },
      ]
      delay.reset()
      // What is measured is the time from one look to the next.
      return measured.map(({ value, labels }) => ({
        value: Math.max(0, value / NANOSECONDS - RESOLUTION_MS / 1_000),
        labels,
      }))
    },
  })
}
