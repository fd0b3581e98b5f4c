import { loadConfig } from '@herald/service/config'
import { describe, expect, test } from 'vitest'
import {
  helm,
  type KubernetesObject,
  one,
  podSpecs,
  render,
  template,
  VALUE_SETS,
} from './chart.ts'
import { SCHEMAS, SERVICES, variablesOf } from './schemas.ts'

const CASES = VALUE_SETS.flatMap((set) => SERVICES.map((service) => ({ set, service })))

const REFUSED: { why: string; set?: string; settings: string[]; says: RegExp }[] = [
  {
    why: 'a name is wrong',
    settings: ['gatewey.replicas=3'],
    says: /additional propert.*gatewey/i,
  },
  {
    why: 'a name inside of a service is wrong',
    settings: ['gateway.replica=3'],
    says: /additional propert.*replica/i,
  },
  {
    why: 'a service has no such setting',
    settings: ['posts.env.CONCURRENCY=3'],
    says: /additional propert.*CONCURRENCY/i,
  },
  {
    why: 'KEDA is to scale what does not consume events',
    settings: ['gateway.keda.enabled=true'],
    says: /additional propert.*keda/i,
  },
  {
    why: 'one service has two scalers',
    set: 'everything-values.yaml',
    settings: ['publisher.autoscaling.enabled=true'],
    says: /publisher/,
  },
  {
    why: 'the second scaler is in the defaults',
    set: 'everything-values.yaml',
    settings: ['defaults.autoscaling.enabled=true'],
    says: /(media|publisher) has two scalers/,
  },
  {
    why: 'KEDA scales to nothing, and nobody would look up what is unknown',
    set: 'everything-values.yaml',
    settings: ['publisher.keda.minReplicas=0'],
    says: /minReplicas/,
  },
  {
    why: 'KEDA cannot see NATS',
    settings: ['publisher.keda.enabled=true'],
    says: /Give keda.natsMonitoringEndpoint/,
  },
  {
    why: 'one disk would have several processes',
    set: 'disk-values.yaml',
    settings: ['media.autoscaling.enabled=true'],
    says: /one process of the media service/,
  },
  {
    why: 'a secret is nowhere',
    settings: ['secrets.existingSecret='],
    says: /A secret is missing\. Give secrets\.\w+/,
  },
  {
    why: 'a secret is given twice',
    settings: ['secrets.natsUrl.value=nats://one', 'secrets.natsUrl.existingSecret=two'],
    says: /natsUrl/,
  },
  {
    why: 'a secret of a platform would stand for all to read',
    settings: ['platforms.X_CLIENT_SECRET=example'],
    says: /invalid propertyName 'X_CLIENT_SECRET'/,
  },
  {
    why: 'files would be served on the host of the API',
    settings: ['api.url=https://files.herald.example:8443'],
    says: /must be different hosts/,
  },
  { why: 'files have no address', settings: ['files.url='], says: /Give files.url/ },
  {
    why: 'an address has a path',
    settings: ['files.url=https://herald.example/files'],
    says: /files.*url/,
  },
  {
    why: 'the store has no address',
    settings: ['storage.s3.endpoint='],
    says: /Give storage.s3.endpoint/,
  },
  {
    why: 'all requests would seem to come from the proxy',
    set: 'disk-values.yaml',
    settings: ['api.trustedProxies=null'],
    says: /Give api.trustedProxies/,
  },
  {
    why: 'the ingress controller could not get through',
    set: 'disk-values.yaml',
    settings: ['networkPolicy.ingressFrom=null'],
    says: /Give networkPolicy.ingressFrom/,
  },
  {
    why: 'routes belong to no gateway',
    set: 'everything-values.yaml',
    settings: ['httpRoute.parentRefs=null'],
    says: /Give httpRoute.parentRefs/,
  },
  {
    why: 'alerts would lead nowhere',
    settings: ['monitoring.enabled=true'],
    says: /Give monitoring.runbooksUrl/,
  },
]

describe.skipIf(!helm.isThere)(`the values${helm.note}`, () => {
  test.each(CASES)('of $set give $service an environment that it accepts', async (each) => {
    const env = environmentOf(await render(each.set), each.service)
    const schema = SCHEMAS[each.service]
    expect(() => loadConfig(schema, env)).not.toThrow()
    const known = variablesOf(each.service)
    const elsewhere = ['NODE_ENV', 'NODE_EXTRA_CA_CERTS', 'METRICS_PORT']
    if (each.service === 'channels') elsewhere.push('EXAMPLE_CLIENT_ID', 'EXAMPLE_CLIENT_SECRET')
    expect(Object.keys(env).filter((name) => ![...known, ...elsewhere].includes(name))).toEqual([])
  })

  test('reach the services: an own setting is a variable of that service alone', async () => {
    const objects = await render('s3-values.yaml', 'publisher.env.CONCURRENCY=7')
    const having = SERVICES.filter((name) => environmentOf(objects, name)['CONCURRENCY'] === '7')
    expect(having).toEqual(['publisher'])
  })

  test('reach the channels service alone where they are those of platforms', async () => {
    const objects = await render('disk-values.yaml')
    for (const name of ['EXAMPLE_CLIENT_ID', 'EXAMPLE_CLIENT_SECRET'])
      expect(SERVICES.filter((service) => name in environmentOf(objects, service))).toEqual([
        'channels',
      ])
  })

  test('say which image a service has: by its digest where one is given', async () => {
    const objects = await render('everything-values.yaml')
    const imageOf = (service: string) => {
      const [{ spec } = { spec: undefined }] = podSpecs([
        one(objects, 'Deployment', `social-${service}`),
      ])
      return spec?.containers[0]?.['image']
    }
    expect(imageOf('gateway')).toMatch(/^registry\.example\/herald-gateway@sha256:a{64}$/)
    expect(imageOf('posts')).toMatch(/^registry\.example\/herald-posts:\d+\.\d+\.\d+$/)
  })

  test('let nothing through that is for trying out alone', async () => {
    for (const service of ['channels', 'media'])
      for (const name of ['ALLOW_PRIVATE_PLATFORM_URLS', 'ALLOW_PRIVATE_IMPORTS'])
        expect(await template('s3-values.yaml', `${service}.env.${name}=true`)).toMatchObject({
          code: 1,
          output: expect.stringMatching(/additional propert/i),
        })
  })

  test('say how many processes there are, unless a scaler does', async () => {
    const fixed = await render('s3-values.yaml', 'posts.replicas=5', 'quota.replicas=0')
    expect(one(fixed, 'Deployment', 'release-herald-posts').spec).toHaveProperty('replicas', 5)
    expect(one(fixed, 'Deployment', 'release-herald-quota').spec).toHaveProperty('replicas', 0)
    expect(one(fixed, 'Deployment', 'release-herald-media').spec).toHaveProperty('replicas', 2)
    const scaled = await render('everything-values.yaml')
    for (const name of ['gateway', 'media', 'publisher'])
      expect(one(scaled, 'Deployment', `social-${name}`).spec).not.toHaveProperty('replicas')
    expect(one(scaled, 'HorizontalPodAutoscaler', 'social-gateway')).toBeDefined()
    expect(one(scaled, 'ScaledObject', 'social-publisher')).toBeDefined()
  })

  test('given as secrets roll out the pods that read them, and no others', async () => {
    const before = await render('disk-values.yaml')
    const after = await render(
      'disk-values.yaml',
      'secrets.databaseUrls.posts.value=postgres://new',
    )
    const changed = SERVICES.filter(
      (name) => JSON.stringify(pod(before, name)) !== JSON.stringify(pod(after, name)),
    )
    expect(changed).toEqual(['posts'])
  })

  test('keep files on a disk with one process, which is stopped before the next one starts', async () => {
    const objects = await render('disk-values.yaml', 'media.replicas=3')
    expect(one(objects, 'Deployment', 'release-herald-media').spec).toMatchObject({
      replicas: 1,
      strategy: { type: 'Recreate' },
    })
    expect(one(objects, 'PersistentVolumeClaim', 'release-herald-files').metadata).toMatchObject({
      annotations: { 'helm.sh/resource-policy': 'keep' },
    })
  })

  test.each(REFUSED)('are refused when $why', async ({ set, settings, says }) => {
    const { code, output } = await template(set ?? 's3-values.yaml', ...settings)
    expect({ code, output }).toEqual({ code: 1, output: expect.stringMatching(says) })
  })
})

function pod(objects: KubernetesObject[], service: string) {
  const owner = new RegExp(`-${service}$`)
  return objects.find(({ kind, metadata }) => kind === 'Deployment' && owner.test(metadata.name))
}

/** The environment as the process gets it, with something that fits in place of each secret. */
function environmentOf(objects: KubernetesObject[], service: string): Record<string, string> {
  const deployment = pod(objects, service)
  const [of] = deployment ? podSpecs([deployment]) : []
  const variables = of?.spec.containers[0]?.env ?? []
  expect(new Set(variables.map(({ name }) => name)).size).toBe(variables.length)
  return Object.fromEntries(variables.map(({ name, value }) => [name, value ?? secretFor(name)]))
}

function secretFor(name: string): string {
  if (name === 'API_KEY_PEPPERS') return `2:${secretFor('')},1:${secretFor('')}`
  if (name === 'DATABASE_URL') return 'postgres://herald@postgres:5432/herald'
  if (name === 'NATS_URL') return 'nats://nats:4222'
  return Buffer.alloc(32, 'x').toString('base64')
}
