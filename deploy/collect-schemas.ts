import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from '@herald/local/run-command'
import { parseYaml } from '@redocly/openapi-core'

/**
 * The schema of each kind that the chart renders, as Kubernetes and the operators publish it in their Go modules.
 * `node deploy/collect-schemas.ts` fetches those with the Go compiler of this machine and writes the file.
 */
export const KINDS_FILE = new URL('helm/schemas/kinds.json', import.meta.url)

const KUBERNETES = 'k8s.io/kubernetes@v1.34.0'
const BUILT_IN = [
  'io.k8s.api.apps.v1.Deployment',
  'io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler',
  'io.k8s.api.batch.v1.CronJob',
  'io.k8s.api.batch.v1.Job',
  'io.k8s.api.core.v1.ConfigMap',
  'io.k8s.api.core.v1.PersistentVolumeClaim',
  'io.k8s.api.core.v1.Pod',
  'io.k8s.api.core.v1.Secret',
  'io.k8s.api.core.v1.Service',
  'io.k8s.api.networking.v1.Ingress',
  'io.k8s.api.networking.v1.NetworkPolicy',
  'io.k8s.api.policy.v1.PodDisruptionBudget',
]
const OPERATORS: [module: string, file: string][] = [
  [
    'sigs.k8s.io/gateway-api@v1.3.0',
    'config/crd/standard/gateway.networking.k8s.io_httproutes.yaml',
  ],
  ...['scaledobjects', 'triggerauthentications'].map((kind): [string, string] => [
    'github.com/kedacore/keda/v2@v2.17.2',
    `config/crd/bases/keda.sh_${kind}.yaml`,
  ]),
  ...['podmonitors', 'prometheusrules'].map((kind): [string, string] => [
    'github.com/prometheus-operator/prometheus-operator@v0.85.0',
    `example/prometheus-operator-crd/monitoring.coreos.com_${kind}.yaml`,
  ]),
]
const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'

type Schema = { [key: string]: unknown }
type CustomResource = {
  spec: {
    group: string
    names: { kind: string }
    versions: { name: string; schema: { openAPIV3Schema: Schema } }[]
  }
}

const definitions: Record<string, unknown> = {}
const kinds: Record<string, unknown> = {}
if (import.meta.main) await collect()

async function collect(): Promise<void> {
  await collectBuiltIn()
  for (const [module, file] of OPERATORS) await collectOperator(module, file)
  writeFileSync(KINDS_FILE, `${JSON.stringify({ $defs: definitions, kinds })}\n`)
}

async function collectBuiltIn(): Promise<void> {
  const text = await readModule(KUBERNETES, 'api/openapi-spec/swagger.json')
  const all = (JSON.parse(text) as { definitions: Record<string, Schema> }).definitions
  const waiting = [OBJECT_META, ...BUILT_IN]
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (name in definitions) continue
    const schema = all[name] ?? {}
    definitions[name] = strict(schema, (needed) => waiting.push(needed))
    const [of] = (schema['x-kubernetes-group-version-kind'] ?? []) as Record<string, string>[]
    if (of && BUILT_IN.includes(name))
      kinds[[of['group'], of['version'], of['kind']].filter(Boolean).join('/')] = {
        $ref: `#/$defs/${name}`,
      }
  }
}

async function collectOperator(module: string, file: string): Promise<void> {
  const { spec } = parseYaml(await readModule(module, file)) as CustomResource
  for (const { name, schema } of spec.versions) {
    const root = strict(schema.openAPIV3Schema, () => 0) as { properties: Schema }
    root.properties['metadata'] = { $ref: `#/$defs/${OBJECT_META}` }
    kinds[`${spec.group}/${name}/${spec.names.kind}`] = root
  }
}

/**
 * As JSON Schema, without words, and closed: a field that is not in the schema is an error, unless the schema says
 * that anything goes. What Kubernetes checks by rules in code (CEL) is not part of it.
 */
function strict(node: unknown, need: (definition: string) => void): unknown {
  if (Array.isArray(node)) return node.map((each) => strict(each, need))
  if (typeof node !== 'object' || node === null) return node
  const schema = node as Schema
  if (schema['format'] === 'int-or-string' || schema['x-kubernetes-int-or-string'] === true)
    return { type: ['integer', 'string'] }
  const result: Schema = {}
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'description' || key === 'default' || key === 'format') continue
    if (key.startsWith('x-kubernetes-')) continue
    // Go writes "in any case" as (?i) within an expression, which JavaScript does not know.
    if (key === 'pattern' && String(value).includes('(?i)')) continue
    if (key === '$ref') result['$ref'] = referTo(String(value), need)
    else if (key === 'properties') result[key] = strictProperties(value as Schema, need)
    else result[key] = strict(value, need)
  }
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true
  if ('properties' in schema && !('additionalProperties' in schema) && !isOpen)
    result['additionalProperties'] = false
  return result
}

/** The names here are fields, whatever they are called. */
function strictProperties(properties: Schema, need: (definition: string) => void): Schema {
  return Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [name, strict(value, need)]),
  )
}

function referTo(reference: string, need: (definition: string) => void): string {
  const name = reference.replace('#/definitions/', '')
  need(name)
  return `#/$defs/${name}`
}

async function readModule(module: string, file: string): Promise<string> {
  const { code, output } = await runCommand(['go', 'mod', 'download', '-json', module], {
    timeoutMs: 600_000,
  })
  if (code !== 0) throw new Error(`${module} could not be fetched: ${output}`)
  const { Dir: folder } = JSON.parse(output) as { Dir: string }
  return readFileSync(join(folder, file), 'utf8')
}
