import { readFileSync } from 'node:fs'
import { Ajv } from '@redocly/ajv'
import { describe, expect, test } from 'vitest'
import { KINDS_FILE } from '../collect-schemas.ts'
import { violationsOf } from './restricted.ts'
import {
  helm,
  type KubernetesObject,
  ofKind,
  podSpecs,
  render,
  runHelm,
  CHART,
  VALUE_SETS,
} from './chart.ts'

const { $defs, kinds } = JSON.parse(readFileSync(KINDS_FILE, 'utf8')) as Record<
  '$defs' | 'kinds',
  Record<string, object>
>
const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false })
ajv.addSchema({ $id: 'kubernetes', $defs, kinds })

describe.skipIf(!helm.isThere).each(VALUE_SETS)(`what %s makes of the chart${helm.note}`, (set) => {
  test('passes helm lint', async () => {
    const values = `${CHART}ci/${set}`
    const { code, output } = await runHelm('lint', '--strict', CHART, '--values', values)
    expect({ code, output }).toMatchObject({ code: 0 })
  })

  test('is objects that Kubernetes and its operators know, without a field they do not', async () => {
    const objects = await render(set)
    expect(objects.length).toBeGreaterThan(20)
    expect(objects.flatMap(problemsOf)).toEqual([])
  })

  test('has one object of each kind and name, in the namespace of the release', async () => {
    const objects = await render(set)
    const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)
    expect(names.toSorted()).toEqual([...new Set(names)].toSorted())
    expect(objects.filter(({ metadata }) => metadata.namespace !== 'social')).toEqual([])
  })

  test('has pods that the restricted profile admits, which can write to /tmp alone', async () => {
    const pods = podSpecs(await render(set))
    expect(pods.length).toBeGreaterThan(7)
    expect(pods.flatMap(violationsOf)).toEqual([])
  })

  test('mounts every volume it has, and has every volume it mounts', async () => {
    for (const { owner, spec } of podSpecs(await render(set))) {
      const mounted = spec.containers.flatMap(({ volumeMounts = [] }) => volumeMounts)
      expect({ owner, mounted: mounted.map(({ name }) => name).toSorted() }).toEqual({
        owner,
        mounted: (spec.volumes ?? []).map(({ name }) => name).toSorted(),
      })
    }
  })

  test('has nothing secret outside of Secrets', async () => {
    const objects = await render(set)
    const outside = JSON.stringify(objects.filter(({ kind }) => kind !== 'Secret'))
    const secrets = ofKind(objects, 'Secret').flatMap(({ data = {} }) => Object.values(data))
    for (const secret of secrets) {
      expect(outside).not.toContain(secret)
      expect(outside).not.toContain(Buffer.from(secret, 'base64').toString())
    }
    for (const { owner, spec } of podSpecs(objects))
      for (const { name, value, valueFrom } of spec.containers.flatMap(({ env = [] }) => env))
        if (SECRET_NAMES.test(name))
          expect({ owner, name, value, ...valueFrom }).toMatchObject({
            value: undefined,
            secretKeyRef: { name: expect.any(String) },
          })
  })

  test('refers to Secrets of its own only with keys that they have', async () => {
    const objects = await render(set)
    const own = new Map(
      ofKind(objects, 'Secret').map(({ metadata, data = {} }) => [metadata.name, data]),
    )
    const references = podSpecs(objects)
      .flatMap(({ spec }) => spec.containers.flatMap(({ env = [] }) => env))
      .flatMap(({ valueFrom }) => valueFrom?.secretKeyRef ?? [])
    expect(references.length).toBeGreaterThan(10)
    const dangling = references.filter(({ name, key }) => !(key in (own.get(name) ?? { [key]: 1 })))
    expect(dangling).toEqual([])
    const isByValue = set === 'disk-values.yaml'
    expect(references.every(({ name }) => own.has(name))).toBe(isByValue)
  })
})

describe.skipIf(!helm.isThere)(`the check of manifests${helm.note}`, () => {
  test.each([
    ['a field that does not exist', 'Deployment', '/spec/template/spec/restartPolice', 'Always'],
    ['a field that is missing', 'Deployment', '/spec/selector', undefined],
    ['a value of the wrong type', 'Service', '/spec/ports', {}],
    ['a field of an operator that does not exist', 'ScaledObject', '/spec/minReplicas', 1],
    ['a value that the Gateway API refuses', 'HTTPRoute', '/spec/hostnames', ['not a host']],
    ['a rule that has no expression', 'PrometheusRule', '/spec/groups/0/rules/0/expr', undefined],
  ])('finds %s', async (_, kind, path, value) => {
    const [object] = structuredClone(ofKind(await render('everything-values.yaml'), kind))
    if (!object) throw new Error(`There is no ${kind}.`)
    expect(problemsOf(object)).toEqual([])
    put(object, path.slice(1).split('/'), value)
    expect(problemsOf(object)).not.toEqual([])
  })
})

describe.skipIf(!helm.isThere)(`the check of pods${helm.note}`, () => {
  test.each([
    ['automountServiceAccountToken', true, 'no token'],
    ['hostNetwork', true, 'nothing of its host'],
    ['securityContext/runAsUser', 0, 'a user'],
    ['securityContext/seccompProfile', { type: 'Unconfined' }, 'seccomp'],
    ['volumes/0', { name: 'tmp', hostPath: { path: '/' } }, 'harmless volumes'],
    ['volumes/0/emptyDir', {}, 'bounded temporary files'],
    ['containers/0/securityContext/privileged', true, 'no escalation'],
    ['containers/0/securityContext/readOnlyRootFilesystem', false, 'no writable root'],
    ['containers/0/securityContext/runAsUser', 0, 'no user of its own'],
    ['containers/0/securityContext/capabilities', { add: ['NET_RAW'] }, 'no capabilities'],
    ['containers/0/resources', {}, 'requests, and a limit of memory'],
  ])('finds a pod with %s: %j', async (path, value, needs) => {
    const [pod] = podSpecs(structuredClone(ofKind(await render('s3-values.yaml'), 'Deployment')))
    if (!pod) throw new Error('There is no pod.')
    put(pod.spec, path.split('/'), value)
    const found = violationsOf(pod)
    expect(found).toEqual([expect.stringMatching(new RegExp(`needs ${needs}$`))])
  })
})

function put(target: object, [key = '', ...rest]: string[], value: unknown): void {
  const fields = target as Record<string, object>
  if (rest.length > 0) put(fields[key] ?? {}, rest, value)
  else Object.assign(fields, { [key]: value })
}

const SECRET_NAMES = /SECRET|PEPPER|KEY$|PASSWORD|TOKEN|DATABASE_URL|NATS_URL/

/** What is wrong with an object, in words. */
function problemsOf(object: KubernetesObject): string[] {
  const kind = `${object.apiVersion}/${object.kind}`
  if (!(kind in kinds)) return [`${kind} is not known; collect-schemas.ts lists those that are.`]
  const isValid = ajv.validate({ $ref: `kubernetes#/kinds/${kind.replaceAll('/', '~1')}` }, object)
  if (isValid) return []
  return (ajv.errors ?? []).map(
    ({ instancePath, message, params }) =>
      `${object.kind} ${object.metadata.name} ${instancePath} ${message} ${JSON.stringify(params)}`,
  )
}
