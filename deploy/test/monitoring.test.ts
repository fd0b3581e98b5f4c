import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { openDatabase } from '@herald/event-store/database'
import { runCommand } from '@herald/local/run-command'
import { testDatabase } from '@herald/testing/database'
import { describe, expect, test } from 'vitest'
import { helm, ofKind, one, render } from './chart.ts'

type Rule = {
  alert?: string
  record?: string
  expr: string
  labels?: { severity: string }
  annotations?: { summary: string; runbook_url: string }
}

const RUNBOOKS = new URL('../runbooks/', import.meta.url)
const PAGES = readdirSync(RUNBOOKS).filter((name) => name !== 'README.md')
const CONTRACT = readFileSync(new URL('../metrics.md', import.meta.url), 'utf8')
/** What part may fail, be slow or late (`docs/slo.md`). */
const BUDGETS = { ApiFails: '0.001', ApiSlow: '0.01', PostsLate: '0.001' }
const HISTOGRAM_SERIES = /_(bucket|count|sum)$/

describe.skipIf(!helm.isThere)(`the monitoring of a release${helm.note}`, () => {
  test('is not there unless it is turned on, since nothing is measured yet', async () => {
    const kinds = (await render('s3-values.yaml')).map(({ kind }) => kind)
    for (const kind of ['PodMonitor', 'PrometheusRule', 'ConfigMap'])
      expect(kinds).not.toContain(kind)
  })

  test('has a page for every alert, and an alert for every page', async () => {
    const pages = (await rules()).flatMap(({ annotations }) => annotations?.runbook_url ?? [])
    const base = 'https://docs.herald.example/runbooks/'
    expect(pages.every((page) => page.startsWith(base))).toBe(true)
    const names = pages.map((page) => page.slice(base.length))
    expect([...new Set(names)].toSorted()).toEqual(PAGES.toSorted())
  })

  test('has alerts that say who is woken, and what is the matter', async () => {
    const alerts = (await rules()).filter(({ alert }) => alert !== undefined)
    expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length)
    expect(alerts.length).toBe(24)
    for (const { labels, annotations } of alerts) {
      expect(['critical', 'warning']).toContain(labels?.severity)
      expect(annotations?.summary).toMatch(/^[A-Z].*\.$/)
    }
  })

  test('watches a promise over a long and a short window, and both are recorded', async () => {
    const all = await rules()
    const recorded = all.flatMap(({ record }) => record ?? [])
    for (const [promise, budget] of Object.entries(BUDGETS)) {
      const alerts = all.filter(({ alert }) => alert?.startsWith(`Herald${promise}`))
      const windows = alerts.map(({ expr }) => expr.match(/(?<=ratio_rate)\w+/g))
      expect(windows).toEqual([
        ['1h', '5m'],
        ['6h', '30m'],
        ['1d', '2h'],
        ['3d', '6h'],
      ])
      expect(alerts.map(({ expr }) => /> ([\d.]+ \* [\d.]+) and/.exec(expr)?.[1])).toEqual(
        ['14.4', '6', '3', '1'].map((rate) => `${rate} * ${budget}`),
      )
      for (const { expr } of alerts)
        for (const series of expr.match(/herald:\w+:\w+/g) ?? []) expect(recorded).toContain(series)
    }
  })

  test('reads the metrics of the contract, all of them and no others', async () => {
    const dashboards = ofKind(await render('everything-values.yaml'), 'ConfigMap')
    expect(dashboards.length).toBe(3)
    const expressions = [
      ...(await rules()).map(({ expr }) => expr),
      ...dashboards.flatMap(({ data = {} }) => Object.values(data).flatMap(expressionsOf)),
    ]
    const read = expressions.flatMap((expression) => expression.match(/\bherald_\w+/g) ?? [])
    const names = read.map((name) => name.replace(HISTOGRAM_SERIES, ''))
    const promised = [...CONTRACT.matchAll(/^\| `(herald_\w+)` \|/gm)].map(([, name = '']) => name)
    expect([...new Set(names)].toSorted()).toEqual(promised.toSorted())
    const recorded = (await rules()).flatMap(({ record }) => record ?? [])
    const used = expressions.flatMap((expression) => expression.match(/herald:\w+:\w+/g) ?? [])
    expect(used.filter((series) => !recorded.includes(series))).toEqual([])
  })

  test('looks at every process of Herald at the port where it measures', async () => {
    const objects = await render('everything-values.yaml')
    expect(one(objects, 'PodMonitor', 'social').spec).toMatchObject({
      podMetricsEndpoints: [{ port: 'metrics', path: '/metrics' }],
    })
    for (const deployment of ofKind(objects, 'Deployment'))
      expect(JSON.stringify(deployment)).toContain('{"name":"metrics","containerPort":9464}')
  })
})

describe('the pages for alerts', () => {
  test('show statements that Postgres answers on the tables as they are', async () => {
    const statements = PAGES.flatMap((page) =>
      [...textOf(page).matchAll(/psql "\$(\w+)_OWNER_DATABASE_URL" -c "([^"]+)"/g)].map(
        ([, service = '', sql = '']) => ({ service: service.toLowerCase(), sql }),
      ),
    )
    expect(statements.length).toBeGreaterThan(8)
    for (const service of new Set(statements.map((each) => each.service))) {
      await using made = await testDatabase(`runbooks-${service}`, await migrationsOf(service))
      const database = openDatabase({ url: made.ownerUrl, name: 'test' })
      try {
        for (const { sql } of statements.filter((each) => each.service === service))
          expect((await database.pool.query(sql)).command).toBe('SELECT')
      } finally {
        await database.close()
      }
    }
  })

  test('show commands of herald that there are', async () => {
    const cli = fileURLToPath(new URL('../../libs/local/src/cli/main.ts', import.meta.url))
    const { output } = await runCommand([process.execPath, cli, '--help'])
    const commands = PAGES.flatMap((page) =>
      [...textOf(page).matchAll(/`herald ([a-z]+ [a-z]+)/g)].map(([, command = '']) => command),
    )
    expect(new Set(commands).size).toBeGreaterThan(2)
    for (const command of commands) expect(output).toContain(`\n  ${command} `)
  })

  test('name other pages that there are', () => {
    const named = PAGES.flatMap((page) => textOf(page).match(/(?<=`)[a-z-]+\.md(?=`)/g) ?? [])
    expect(named.filter((page) => !PAGES.includes(page))).toEqual([])
  })
})

async function rules(): Promise<Rule[]> {
  const { spec } = one(await render('everything-values.yaml'), 'PrometheusRule', 'social')
  return (spec as { groups: { rules: Rule[] }[] }).groups.flatMap((group) => group.rules)
}

function expressionsOf(dashboard: string): string[] {
  const { panels } = JSON.parse(dashboard) as { panels: { targets: { expr: string }[] }[] }
  return panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
}

function textOf(page: string): string {
  return readFileSync(new URL(page, RUNBOOKS), 'utf8')
}

/** Services export nothing, so their migrations are loaded by their place in the tree. */
async function migrationsOf(service: string): Promise<(url: string) => Promise<void>> {
  const place = new URL(`../../services/${service}/src/migrate.ts`, import.meta.url)
  const { migrate } = (await import(place.href)) as { migrate: (url: string) => Promise<void> }
  return migrate
}
