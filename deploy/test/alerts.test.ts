import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runCommand } from '@herald/local/run-command'
import { temporaryFolder } from '@herald/testing/temporary-folder'
import { describe, expect, test } from 'vitest'
import { helm, one, render } from './chart.ts'
import { findPromtool } from './promtool.ts'

/** Values of a series, one a minute, in the notation of promtool: `0+10x60` rises by ten for an hour. */
type Series = Record<string, string>

const promtool = await findPromtool()
const whyNot = helm.isThere ? promtool.note : helm.note

const BUDGETS = { ApiFails: 0.001, ApiSlow: 0.01, PostsLate: 0.001 }
type Promised = keyof typeof BUDGETS

const requests = (labels: string) =>
  `herald_http_server_request_duration_seconds_count{http_request_method="POST",http_route="/v1/posts",${labels}}`
const quick = `herald_http_server_request_duration_seconds_bucket{http_request_method="POST",http_route="/v1/posts",le="0.2"}`

/** 100,000 of something a minute, of which so many keep the promise and the others do not, for as long as is said. */
const SERIES: Record<Promised, (bad: number, minutes: number, then?: string) => Series> = {
  ApiFails: (bad, minutes, then = '') => ({
    [requests('http_response_status_code="201"')]: `0+${100_000 - bad}x${minutes}${then}`,
    [requests('http_response_status_code="503"')]:
      `0+${bad}x${minutes}${then && ` ${bad * minutes}x20`}`,
  }),
  ApiSlow: (bad, minutes) => ({
    [requests('http_response_status_code="201"')]: `0+100000x${minutes}`,
    [quick]: `0+${100_000 - bad}x${minutes}`,
  }),
  PostsLate: (bad, minutes) => ({
    'herald_publish_lateness_seconds_count{platform="X"}': `0+100000x${minutes}`,
    'herald_publish_lateness_seconds_bucket{platform="X",le="60"}': `0+${100_000 - bad}x${minutes}`,
  }),
}

/** The long window of `Steady`. What looks further back sees a younger Herald, of which the same holds. */
const MINUTES = 6 * 60 + 5

describe.skipIf(whyNot !== '')(`Prometheus works the alerts out${whyNot}`, () => {
  describe.each(Object.entries(BUDGETS) as [Promised, number][])('%s', (promised, budget) => {
    test.each([
      [0.5, []],
      [2, ['Slowest']],
      [4, ['Slow', 'Slowest']],
      [10, ['Slow', 'Slowest', 'Steady']],
      [20, ['Fast', 'Slow', 'Slowest', 'Steady']],
    ])('a budget that is used %s times as fast as it may be wakes by %j', async (rate, names) => {
      const series = SERIES[promised](rate * budget * 100_000, MINUTES)
      const firing = await firingAfter(MINUTES, series)
      expect(firing.filter((name) => name.startsWith(`Herald${promised}`))).toEqual(
        names.map((name) => `Herald${promised}${name}`),
      )
    })
  })

  test('a promise that is kept again lets those sleep whom it woke, within minutes', async () => {
    const series = SERIES.ApiFails(5_000, 60, ` ${95_000 * 60}+100000x20`)
    expect(await firingAfter(60, series)).toContain('HeraldApiFailsFast')
    expect(await firingAfter(72, series)).not.toContain('HeraldApiFailsFast')
  })

  test.each<[alert: string, minutes: number, series: Series, good: Series]>([
    [
      'HeraldPostsOverdue',
      1,
      { 'herald_posts_overdue{service="posts"}': '1x60' },
      { 'herald_posts_overdue{service="posts"}': '0x60' },
    ],
    [
      'HeraldOutboxStuck',
      2,
      { 'herald_outbox_oldest_age_seconds{service="posts"}': '61x60' },
      { 'herald_outbox_oldest_age_seconds{service="posts"}': '60x60' },
    ],
    [
      'HeraldConsumerBehind',
      10,
      { 'herald_consumer_pending_events{consumer="publisher"}': '501x60' },
      { 'herald_consumer_pending_events{consumer="publisher"}': '500x60' },
    ],
    [
      'HeraldUnknownOutcomes',
      0,
      { 'herald_publish_outcomes_total{platform="X",outcome="unconfirmed"}': '0 1x60' },
      {
        'herald_publish_outcomes_total{platform="X",outcome="unconfirmed"}': '1x60',
        'herald_publish_outcomes_total{platform="X",outcome="rejected"}': '0+1x60',
      },
    ],
    [
      'HeraldQuotaAway',
      0,
      { 'herald_quota_outage_requests_total{answer="refused"}': '0+1x60' },
      { 'herald_quota_outage_requests_total{answer="refused"}': '7x60' },
    ],
    [
      'HeraldStatementsWait',
      5,
      { 'herald_database_waiting{service="posts",pool="posts"}': '11x60' },
      { 'herald_database_waiting{service="posts",pool="posts"}': '10x60' },
    ],
    [
      'HeraldProcessStalls',
      10,
      { 'herald_event_loop_delay_seconds{service="posts",quantile="0.99"}': '0.6x60' },
      {
        'herald_event_loop_delay_seconds{service="posts",quantile="0.99"}': '0.4x60',
        'herald_event_loop_delay_seconds{service="posts",quantile="1"}': '0.9x60',
      },
    ],
    [
      'HeraldDeadLetters',
      0,
      { 'herald_dead_letters_total{consumer="publisher"}': '0 1x60' },
      { 'herald_dead_letters_total{consumer="publisher"}': '1x60' },
    ],
    [
      'HeraldProjectionMismatch',
      0,
      { 'herald_projection_mismatches{service="posts"}': '1x60' },
      { 'herald_projection_mismatches{service="posts"}': '0x60' },
    ],
    [
      'HeraldPostgresNotReady',
      2,
      { 'herald_dependency_ready{service="posts",dependency="postgres"}': '0x60' },
      { 'herald_dependency_ready{service="posts",dependency="postgres"}': '1x60' },
    ],
    [
      'HeraldNatsNotReady',
      5,
      { 'herald_dependency_ready{service="posts",dependency="nats"}': '0x60' },
      { 'herald_dependency_ready{service="posts",dependency="nats"}': '1x60' },
    ],
    [
      'HeraldUnmeasured',
      10,
      {},
      { 'herald_dependency_ready{service="posts",dependency="nats"}': '1x60' },
    ],
  ])('%s comes after %s minutes, and not without a cause', async (alert, minutes, series, good) => {
    expect(await firingAfter(minutes + 2, series)).toContain(alert)
    if (minutes > 0) expect(await firingAfter(minutes - 1, series)).not.toContain(alert)
    expect(await firingAfter(30, good)).not.toContain(alert)
  })
})

let rules: Promise<unknown> | undefined

async function renderedRules(): Promise<unknown> {
  return one(await render('everything-values.yaml'), 'PrometheusRule', 'social').spec
}

/** The alerts that are firing when so many minutes of these series have passed. */
async function firingAfter(minutes: number, series: Series): Promise<string[]> {
  using folder = temporaryFolder()
  const write = (name: string, content: unknown) =>
    writeFile(join(folder.path, name), JSON.stringify(content))
  await write('rules.json', await (rules ??= renderedRules()))
  await write('test.json', {
    rule_files: ['rules.json'],
    evaluation_interval: '1m',
    tests: [
      {
        interval: '1m',
        input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
        // Expecting none makes promtool tell those that there are.
        promql_expr_test: [
          {
            expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
            eval_time: `${minutes}m`,
            exp_samples: [],
          },
        ],
      },
    ],
  })
  const command = [promtool.path, 'test', 'rules', 'test.json']
  const { code, output } = await runCommand(command, { cwd: folder.path })
  if (code === 0) return []
  const firing = [...output.matchAll(/alertname="(\w+)"/g)].flatMap(([, name = '']) => name)
  if (firing.length === 0) throw new Error(output)
  return [...new Set(firing)].toSorted()
}
