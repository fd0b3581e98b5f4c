import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type CommandResult, runCommand } from '@herald/local/run-command'
import { parseYaml } from '@redocly/openapi-core'
import { findHelm } from './helm-program.ts'

/** Where the chart is. */
export const CHART = fileURLToPath(new URL('../helm/herald/', import.meta.url))
/** The value sets that the chart is rendered with. */
export const VALUE_SETS = readdirSync(`${CHART}ci`).filter((name) => name.endsWith('-values.yaml'))

const found = await findHelm()
/** What to put into the title of tests, and whether they can run. */
export const helm =
  'path' in found ? { isThere: true, note: '' } : { isThere: false, note: ` (${found.reason})` }

type Metadata = {
  name: string
  namespace?: string
  labels?: Record<string, string>
  annotations?: Record<string, string>
}
export type EnvVar = {
  name: string
  value?: string
  valueFrom?: { secretKeyRef?: { name: string; key: string } }
}
export type Container = {
  name: string
  args: string[]
  env?: EnvVar[]
  ports?: { name: string; containerPort: number }[]
  volumeMounts?: { name: string; mountPath: string }[]
  securityContext: Record<string, unknown>
} & Record<string, unknown>
export type PodSpec = {
  containers: Container[]
  initContainers?: Container[]
  securityContext: Record<string, unknown>
  volumes?: ({ name: string } & Record<string, unknown>)[]
} & Record<string, unknown>
/** An object as rendered. Its spec is looked at by those who know the kind. */
export type KubernetesObject = {
  apiVersion: string
  kind: string
  metadata: Metadata
  spec?: unknown
  data?: Record<string, string>
}

/** Runs Helm, without a cluster. */
export function runHelm(...args: string[]): Promise<CommandResult> {
  return runCommand(['path' in found ? found.path : 'helm', ...args])
}

/** What `helm template` makes of one of the value sets and further settings (`a.b=1`). Throws with what Helm says. */
export async function render(valueSet: string, ...settings: string[]): Promise<KubernetesObject[]> {
  const { code, output } = await template(valueSet, ...settings)
  if (code !== 0) throw new Error(output)
  return output
    .split(/^---$/m)
    .map((text) => parseYaml(text) as KubernetesObject | undefined)
    .filter((object) => object !== undefined && object !== null)
}

const templates = new Map<string, Promise<CommandResult>>()

/** The same, as Helm answers it. What was asked before is not asked again. */
export function template(valueSet: string, ...settings: string[]): Promise<CommandResult> {
  const values = `${CHART}ci/${valueSet}`
  const set = settings.flatMap((setting) => ['--set', setting])
  const args = ['template', 'release', CHART, '--namespace', 'social', '--values', values]
  // A Helm that was built from its module takes Kubernetes to be 1.20.
  args.push('--kube-version', '1.34.0', ...set)
  const answer = templates.get(args.join(' ')) ?? runHelm(...args)
  templates.set(args.join(' '), answer)
  return answer
}

export function ofKind(objects: KubernetesObject[], kind: string): KubernetesObject[] {
  return objects.filter((object) => object.kind === kind)
}

/** The object of a kind and name. Throws when there is none. */
export function one(objects: KubernetesObject[], kind: string, name: string): KubernetesObject {
  const object = objects.find((each) => each.kind === kind && each.metadata.name === name)
  if (!object) throw new Error(`There is no ${kind} ${name}.`)
  return object
}

type PodMaker = {
  template?: { metadata: Metadata; spec: PodSpec }
  jobTemplate?: { spec: PodMaker }
}

/** Every pod that an object makes. */
export function podSpecs(
  objects: KubernetesObject[],
): { owner: string; labels: Record<string, string>; spec: PodSpec }[] {
  return objects.flatMap(({ kind, metadata, spec }) => {
    const owner = `${kind} ${metadata.name}`
    if (kind === 'Pod') return [{ owner, labels: metadata.labels ?? {}, spec: spec as PodSpec }]
    const made = spec as PodMaker | undefined
    const template = made?.template ?? made?.jobTemplate?.spec.template
    if (!template?.spec) return []
    return [{ owner, labels: template.metadata.labels ?? {}, spec: template.spec }]
  })
}
