import { describe, expect, test } from 'vitest'
import { readTeams } from '../nats/teams.ts'
import { type EnvVar, helm, type KubernetesObject, ofKind, one, podSpecs, render } from './chart.ts'

const SERVICES = ['gateway', 'accounts', 'quota', 'channels', 'media', 'posts', 'publisher']

describe.skipIf(!helm.isThere)(`NATS, for a release${helm.note}`, () => {
  test('is reached by every service as its own user, who makes nothing there', async () => {
    const objects = await render('s3-values.yaml')
    for (const name of SERVICES) {
      const env = envOf(objects, 'Deployment', name)
      const key = `${name.toUpperCase()}_NATS_URL`
      expect(env.get('NATS_URL')?.valueFrom).toEqual({ secretKeyRef: { name: 'herald', key } })
      expect(env.get('HERALD_PROVISION')?.value).toBe(name === 'gateway' ? undefined : 'off')
    }
  })

  test('is provisioned before the services by a Job, and looked after by a CronJob alike', async () => {
    const objects = await render('everything-values.yaml')
    for (const [kind, name] of [
      ['Job', 'provision'],
      ['CronJob', 'keep-provisioned'],
    ] as const) {
      const env = envOf(objects, kind, name)
      expect(env.get('NATS_REPLICAS')?.value).toBe('3')
      expect(readTeams(env.get('NATS_TEAMS')?.value ?? '')).toMatchObject([{ name: 'analytics' }])
      const secretKeyRef = { name: 'nats-provision', key: 'url' }
      expect(env.get('NATS_URL')?.valueFrom).toEqual({ secretKeyRef })
      const { egress } = one(objects, 'NetworkPolicy', `social-${name}`).spec as {
        egress: { ports: { port: number }[] }[]
      }
      expect(egress.flatMap(({ ports }) => ports.map(({ port }) => port))).toEqual([53, 53, 4222])
    }
  })

  test('has one address for all where it has no users, and the services make what is missing', async () => {
    const objects = await render('open-values.yaml', 'migrations.hooks=helm')
    for (const name of SERVICES) {
      const env = envOf(objects, 'Deployment', name)
      expect(env.get('NATS_URL')?.valueFrom?.secretKeyRef?.key).toBe('NATS_URL')
      expect(env.has('HERALD_PROVISION')).toBe(false)
    }
    const names = objects.map(({ metadata }) => metadata.name)
    expect(names.filter((name) => name.includes('provision'))).toEqual([])
  })

  test('is looked after by nobody when there is no schedule', async () => {
    expect(ofKind(await render('s3-values.yaml', 'nats.schedule='), 'CronJob')).toEqual([])
  })
})

/** The environment of the one pod that an object of a component makes, by name. */
function envOf(objects: KubernetesObject[], kind: string, component: string): Map<string, EnvVar> {
  const [object] = ofKind(objects, kind).filter(({ metadata }) =>
    metadata.name.endsWith(`-${component}`),
  )
  const [pod] = podSpecs(object ? [object] : [])
  return new Map(pod?.spec.containers[0]?.env?.map((each) => [each.name, each]))
}
