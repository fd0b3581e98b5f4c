import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseYaml } from '@redocly/openapi-core'
import { CONSUMERS } from '@herald/contracts/consumers'
import { EVENTS_STREAM } from '@herald/contracts/events'
import { openDatabase } from '@herald/event-store/database'
import { CLOSE_WITHIN_MS } from '@herald/service/shutdown'
import { testDatabase } from '@herald/testing/database'
import { temporaryFolder } from '@herald/testing/temporary-folder'
import { describe, expect, test } from 'vitest'
import { migrate as migratePublisher } from '../../services/publisher/src/migrate.ts'
import { CHART, helm, ofKind, one, podSpecs, render, runHelm, VALUE_SETS } from './chart.ts'

const SERVICES = ['gateway', 'accounts', 'quota', 'channels', 'media', 'posts', 'publisher']

describe.skipIf(!helm.isThere)(`the workloads of a release${helm.note}`, () => {
  test.each(SERVICES)(
    '%s is restarted for itself alone, and asked whether it can work',
    async (name) => {
      const objects = await render('s3-values.yaml')
      const [pod] = podSpecs([one(objects, 'Deployment', `release-herald-${name}`)])
      const port = name === 'gateway' ? 'api' : 'internal'
      expect(pod?.spec.containers).toMatchObject([
        {
          args: ['--import', './libs/telemetry/src/preload.ts', `services/${name}/src/main.ts`],
          startupProbe: { httpGet: { path: '/healthz', port } },
          livenessProbe: { httpGet: { path: '/healthz', port } },
          readinessProbe: { httpGet: { path: '/readyz', port } },
          lifecycle: { preStop: { sleep: { seconds: 5 } } },
        },
      ])
      expect(pod?.spec.containers[0]?.ports?.map((each) => each.name)).toContain(port)
    },
  )

  test.each(SERVICES)(
    '%s leaves the balance, drains and closes within the time that Kubernetes gives it',
    async (name) => {
      const objects = await render('s3-values.yaml')
      const [pod] = podSpecs([one(objects, 'Deployment', `release-herald-${name}`)])
      const [container] = pod?.spec.containers ?? []
      const { lifecycle } = container as unknown as {
        lifecycle: { preStop: { sleep: { seconds: number } } }
      }
      const drain = container?.env?.find((each) => each.name === 'DRAIN_SECONDS')?.value
      const closeSeconds = CLOSE_WITHIN_MS / 1000
      const grace = pod?.spec['terminationGracePeriodSeconds']
      expect(grace).toBeGreaterThanOrEqual(lifecycle.preStop.sleep.seconds + closeSeconds + 5)
      // What closes behind the drain takes 25 s at the most: answers under way 20 s, the connection to NATS 5 s.
      expect(Number(drain)).toBeGreaterThan(0)
      expect(Number(drain)).toBeLessThanOrEqual(closeSeconds - 25)
    },
  )

  test('are replaced one by one, none before the new one is ready', async () => {
    const objects = await render('s3-values.yaml')
    for (const name of SERVICES)
      expect(one(objects, 'Deployment', `release-herald-${name}`).spec).toMatchObject({
        replicas: 2,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
      })
  })

  test.each(SERVICES)(
    '%s is spread, and emptied from nodes one process at a time',
    async (name) => {
      const objects = await render('s3-values.yaml')
      const labels = {
        'app.kubernetes.io/name': 'herald',
        'app.kubernetes.io/instance': 'release',
        'app.kubernetes.io/component': name,
      }
      expect(one(objects, 'PodDisruptionBudget', `release-herald-${name}`).spec).toEqual({
        maxUnavailable: 1,
        unhealthyPodEvictionPolicy: 'AlwaysAllow',
        selector: { matchLabels: labels },
      })
      const [pod] = podSpecs([one(objects, 'Deployment', `release-herald-${name}`)])
      expect(pod?.labels).toMatchObject(labels)
      expect(pod?.spec['topologySpreadConstraints']).toMatchObject(
        ['topology.kubernetes.io/zone', 'kubernetes.io/hostname'].map((topologyKey) => ({
          topologyKey,
          whenUnsatisfiable: 'ScheduleAnyway',
          labelSelector: { matchLabels: labels },
        })),
      )
    },
  )

  test('are called directly also when they are not ready, as they are without NATS', async () => {
    const objects = await render('s3-values.yaml')
    const always = ofKind(objects, 'Service')
      .filter(({ spec }) => (spec as Record<string, unknown>)['publishNotReadyAddresses'] === true)
      .map(({ metadata }) => metadata.name)
    expect(always.toSorted()).toEqual(
      SERVICES.filter((name) => name !== 'gateway')
        .map((name) => `release-herald-${name}`)
        .toSorted(),
    )
  })

  test.each(VALUE_SETS)(
    'of %s have Services whose ports lead to ports of their pods',
    async (set) => {
      const objects = await render(set)
      for (const { metadata, spec } of ofKind(objects, 'Service')) {
        const { selector, ports } = spec as {
          selector: Record<string, string>
          ports: { targetPort: string }[]
        }
        const pods = podSpecs(ofKind(objects, 'Deployment')).filter(({ labels }) =>
          Object.entries(selector).every(([name, value]) => labels[name] === value),
        )
        const names = pods.flatMap(({ spec: pod }) =>
          pod.containers.flatMap((each) => (each.ports ?? []).map(({ name }) => name)),
        )
        expect({ service: metadata.name, pods: pods.length }).toMatchObject({ pods: 1 })
        for (const { targetPort } of ports) expect(names).toContain(targetPort)
      }
    },
  )

  test('are scaled by consumers and a statement that there are', async () => {
    const objects = await render('everything-values.yaml')
    const durables: string[] = Object.values(CONSUMERS).map(({ durable }) => durable)
    const triggers = ofKind(objects, 'ScaledObject').flatMap(
      ({ spec }) =>
        (spec as { triggers: { type: string; metadata: Record<string, string> }[] }).triggers,
    )
    const streams = triggers.filter(({ type }) => type === 'nats-jetstream')
    expect(streams.map(({ metadata }) => metadata['consumer']).join()).toBe(
      'media-describer,publisher',
    )
    for (const { metadata } of streams) {
      expect(metadata['stream']).toBe(EVENTS_STREAM)
      expect(durables).toContain(metadata['consumer'])
    }
    await using made = await testDatabase('chart-publisher', migratePublisher)
    const database = openDatabase({ url: made.ownerUrl, name: 'test' })
    try {
      const [statement] = triggers.filter(({ type }) => type === 'postgresql')
      const { rows } = await database.pool.query(statement?.metadata['query'] ?? '')
      expect(rows).toEqual([{ count: 0 }])
    } finally {
      await database.close()
    }
  })
})

describe.skipIf(!helm.isThere)(`the migrations of a release${helm.note}`, () => {
  const OWNERS = SERVICES.filter((name) => name !== 'gateway')

  test('run before anything else, one Job for each database, with its two addresses alone', async () => {
    const objects = await render('s3-values.yaml')
    for (const owner of OWNERS) {
      const job = one(objects, 'Job', `release-herald-migrate-${owner}`)
      expect(job.metadata.annotations).toMatchObject({
        'helm.sh/hook': 'pre-install,pre-upgrade',
        'helm.sh/hook-weight': '0',
      })
      const [pod] = podSpecs([job])
      expect(pod?.spec.containers[0]?.args).toEqual(['deploy/migrate/main.ts', owner])
      const secrets = pod?.spec.containers[0]?.env?.filter(({ valueFrom }) => valueFrom)
      const from = (key: string) => ({ secretKeyRef: { name: 'herald', key } })
      expect(secrets).toEqual([
        {
          name: 'OWNER_DATABASE_URL',
          valueFrom: from(`${owner.toUpperCase()}_OWNER_DATABASE_URL`),
        },
        { name: 'DATABASE_URL', valueFrom: from(`${owner.toUpperCase()}_DATABASE_URL`) },
      ])
    }
    // And the one that provisions NATS.
    expect(ofKind(objects, 'Job').length).toBe(OWNERS.length + 1)
  })

  test('bring what they need with them, since nothing of the release is there yet', async () => {
    const objects = await render('disk-values.yaml')
    const hooks = objects.filter(({ metadata }) =>
      metadata.annotations?.['helm.sh/hook']?.includes('pre-install'),
    )
    const before = hooks.filter(
      ({ metadata }) => metadata.annotations?.['helm.sh/hook-weight'] === '-5',
    )
    expect(before.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      'NetworkPolicy release-herald-migrations',
      'NetworkPolicy release-herald-provision',
      'Secret release-herald-migrations',
      'Secret release-herald-provision',
    ])
    for (const { owner, spec } of podSpecs(hooks)) {
      const sources = spec.containers.flatMap(({ env = [] }) =>
        env.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef?.name ?? []),
      )
      const part = owner.endsWith('-provision') ? 'provision' : 'migrations'
      expect(new Set(sources)).toEqual(new Set([`release-herald-${part}`]))
    }
  })

  test('are hooks of Argo CD where it does what Helm would do, and nowhere when turned off', async () => {
    const argo = await render('everything-values.yaml')
    const annotations = ofKind(argo, 'Job').map(({ metadata }) => metadata.annotations)
    expect(annotations.length).toBe(OWNERS.length + 1)
    for (const each of annotations)
      expect(each).toEqual({
        'argocd.argoproj.io/hook': 'PreSync',
        'argocd.argoproj.io/hook-delete-policy': 'BeforeHookCreation,HookSucceeded',
        'argocd.argoproj.io/sync-wave': '0',
      })
    expect(ofKind(await render('open-values.yaml'), 'Job')).toEqual([])
  })
})

describe.skipIf(!helm.isThere)(`the way into a release${helm.note}`, () => {
  test('leads from two hosts to the API and to files, over Ingresses', async () => {
    const objects = await render('disk-values.yaml')
    const backendOf = (name: string) => one(objects, 'Ingress', `release-herald-${name}`).spec
    expect(backendOf('api')).toEqual({
      ingressClassName: 'example',
      tls: [{ hosts: ['herald.example'], secretName: 'api-certificate' }],
      rules: [ruleTo('herald.example', 'release-herald-gateway')],
    })
    expect(backendOf('files')).toMatchObject({
      rules: [ruleTo('files.herald.example', 'release-herald-files')],
    })
  })

  test('leads from two hosts to the API and to files, over HTTPRoutes', async () => {
    const routes = ofKind(await render('everything-values.yaml'), 'HTTPRoute')
    const parentRefs = [{ name: 'public', namespace: 'gateways', sectionName: 'https' }]
    expect(routes.map(({ spec }) => spec)).toEqual([
      {
        parentRefs,
        hostnames: ['api.herald.example'],
        rules: [{ backendRefs: [{ name: 'social-gateway', port: 80 }] }],
      },
      {
        parentRefs,
        hostnames: ['files.herald.example'],
        rules: [{ backendRefs: [{ name: 'social-files', port: 80 }] }],
      },
    ])
  })

  test('is closed unless it is opened', async () => {
    const objects = await render('s3-values.yaml')
    expect([...ofKind(objects, 'Ingress'), ...ofKind(objects, 'HTTPRoute')]).toEqual([])
    const types = ofKind(objects, 'Service').map(({ spec }) => (spec as { type: string }).type)
    expect(new Set(types)).toEqual(new Set(['ClusterIP']))
  })
})

test.skipIf(!helm.isThere)(
  `the chart with NATS renders as soon as its parts are there, and NATS finds the accounts where they are mounted${helm.note}`,
  async () => {
    using folder = temporaryFolder()
    const chart = join(folder.path, 'herald-with-nats')
    cpSync(fileURLToPath(new URL('../helm/herald-with-nats/', import.meta.url)), chart, {
      recursive: true,
    })
    cpSync(CHART, join(chart, 'charts', 'herald'), { recursive: true })
    // In place of the official chart, which has to be fetched.
    const nats = join(chart, 'charts', 'nats')
    mkdirSync(nats, { recursive: true })
    const version = /name: nats\n +version: (\S+)/.exec(
      readFileSync(join(chart, 'Chart.yaml'), 'utf8'),
    )?.[1]
    writeFileSync(join(nats, 'Chart.yaml'), `apiVersion: v2\nname: nats\nversion: ${version}\n`)
    const settings = [
      'secrets.existingSecret=herald',
      'files.url=https://files.example',
      'storage.s3.endpoint=https://s3.example',
    ].flatMap((setting) => ['--set', `herald.${setting}`])
    const args = ['template', 'release', chart, '--kube-version', '1.34.0']
    const { code, output } = await runHelm(...args, ...settings)
    expect({ code, output }).toMatchObject({ code: 0 })
    expect(output).toContain('key: POSTS_NATS_URL')
    const { config, container } = (
      parseYaml(readFileSync(join(chart, 'values.yaml'), 'utf8')) as {
        nats: {
          config: { merge: { $include: string } }
          container: { patch: { value: { mountPath: string } }[] }
        }
      }
    ).nats
    // Paths are seen from the folder of the configuration, /etc/nats-config.
    const included = join('/etc/nats-config', config.merge.$include)
    expect(included).toBe(join(container.patch[0]?.value.mountPath ?? '', 'accounts.conf'))
  },
)

function ruleTo(host: string, name: string) {
  return {
    host,
    http: {
      paths: [
        { path: '/', pathType: 'Prefix', backend: { service: { name, port: { name: 'http' } } } },
      ],
    },
  }
}
