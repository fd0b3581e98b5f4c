import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { type GraphFields, graphCall } from './graph.ts'
import type { NotPublished, PrepareInput, PublishInput } from './platform.ts'
import { readJson } from './read-json.ts'
import { asPreparing, type ErrorTable, meaningOf, meaningOfSilence } from './refusal.ts'
import { LONGEST_WAIT_MS } from './retry-at.ts'

/** Pictures are fetched by the platform before it answers. */
const MAKE_TIMEOUT_MS = 60_000
const ASK_TIMEOUT_MS = 15_000
/** How long the platform is given to process a container, before preparing is put off. */
const PATIENCE_MS = 5 * 60_000
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5_000
/** A container lives for 24 hours; one that is almost as old is not used any more. */
const USABLE_MS = 23 * 3_600_000

/** What became of a container. `failed` has the platform's own word for why. */
export type ContainerState =
  | { state: 'working' | 'finished' | 'published' | 'expired' }
  | { state: 'failed'; said: string }

/** How Threads and Instagram differ in what they call a container and its parts. */
export type ContainerApi = {
  /** For people: `Threads`. */
  name: string
  errors: ErrorTable
  /** Below the account. */
  edges: { make: string; publish: string; quota: string; posts: string }
  /** What is asked for to know a container's state, and how the answer is read. */
  stateFields: string
  readState: (text: string) => ContainerState | undefined
  /** What it means that a container has failed. */
  meaningOfFailure: (said: string) => Extract<NotPublished, { outcome: 'permanent' | 'transient' }>
}

/** What a post is made of: the items of a carousel, by Herald's ids of the files, and what is published. */
export type ContainerPlan = {
  items: { key: string; fields: () => Promise<GraphFields> }[]
  root: (items: string[]) => Promise<GraphFields>
}

const Container = z.object({ id: z.string().min(1), isFinished: z.boolean(), madeAt: z.number() })
type Container = z.infer<typeof Container>

/** What `prepare` leaves for `commit`: the container of each item, and the one that is published. */
const Step = z.object({
  items: z.record(z.string(), Container).default({}),
  root: Container.optional(),
})
type Step = z.infer<typeof Step>

/**
 * Makes the containers of a post, and waits until each is processed. Each is kept, and none that is kept is made again,
 * unless it failed or is too old. The account's quota is looked at first. Rejects as making the pictures does.
 */
export async function prepareContainers(
  api: ContainerApi,
  input: PrepareInput,
  plan: ContainerPlan,
): Promise<{ outcome: 'ready'; step: Step } | NotPublished> {
  const step = readUsable(input.step)
  if (step.root?.isFinished) return { outcome: 'ready', step }
  const problem =
    (await checkQuota(api, input)) ??
    (await makeItems(api, input, plan, step)) ??
    (await makeRoot(api, input, plan, step))
  return problem ?? { outcome: 'ready', step }
}

/** The id of the container that is published, if it was made. */
export function rootOf(step: Record<string, unknown>): string | undefined {
  return Step.safeParse(step).data?.root?.id
}

function readUsable(step: Record<string, unknown> = {}): Step {
  const { items, root } = Step.safeParse(step).data ?? { items: {}, root: undefined }
  const isUsable = ({ madeAt }: Container) => Date.now() - madeAt < USABLE_MS
  const usable = Object.entries(items).filter(([, container]) => isUsable(container))
  return { items: Object.fromEntries(usable), ...(root && isUsable(root) && { root }) }
}

const Quota = z.object({
  data: z.tuple([
    z.object({
      quota_usage: z.number(),
      config: z.object({ quota_total: z.number() }),
    }),
  ]),
})

/** A quota that cannot be read stops nothing: the platform has the last word. */
async function checkQuota(
  api: ContainerApi,
  input: PublishInput,
): Promise<NotPublished | undefined> {
  const path = `/${input.account}/${api.edges.quota}`
  const fields = { fields: 'quota_usage,config' }
  const result = await graphCall(input, 'GET', path, fields, ASK_TIMEOUT_MS)
  if (result.kind !== 'response') return undefined
  if (result.status !== 200) {
    const meaning = asPreparing(meaningOf(result, api.errors, Date.now()))
    return meaning.outcome === 'reauth' || meaning.outcome === 'rate_limited' ? meaning : undefined
  }
  const [quota] = readJson(Quota, result.text)?.data ?? []
  if (!quota || quota.quota_usage < quota.config.quota_total) return undefined
  const message = `${api.name} takes ${quota.config.quota_total} posts in 24 hours from this account, and has got them.`
  return { outcome: 'rate_limited', retryAt: Date.now() + LONGEST_WAIT_MS, message }
}

async function makeItems(
  api: ContainerApi,
  input: PrepareInput,
  { items }: ContainerPlan,
  step: Step,
): Promise<NotPublished | undefined> {
  for (const { key, fields } of items) {
    if (step.items[key]) continue
    const made = await make(api, input, await fields())
    if (made.outcome !== 'made') return made
    step.items[key] = made.container
    await keep(input, step)
  }
  for (const { key } of items) {
    const item = step.items[key]
    if (!item || item.isFinished) continue
    const problem = await finish(api, input, item, () => delete step.items[key])
    await keep(input, step)
    if (problem) return problem
  }
  return undefined
}

async function makeRoot(
  api: ContainerApi,
  input: PrepareInput,
  { items, root }: ContainerPlan,
  step: Step,
): Promise<NotPublished | undefined> {
  if (!step.root) {
    const ids = items.flatMap(({ key }) => step.items[key]?.id ?? [])
    const made = await make(api, input, await root(ids))
    if (made.outcome !== 'made') return made
    step.root = made.container
    await keep(input, step)
  }
  const problem = await finish(api, input, step.root, () => {
    delete step.root
    // A carousel may have failed for one of its items, and nobody is told for which.
    step.items = {}
  })
  await keep(input, step)
  return problem
}

async function keep({ onStep }: PrepareInput, step: Step): Promise<void> {
  await onStep?.(structuredClone(step))
}

const Made = z.object({ id: z.string().min(1) })

async function make(
  api: ContainerApi,
  input: PublishInput,
  fields: GraphFields,
): Promise<{ outcome: 'made'; container: Container } | NotPublished> {
  const path = `/${input.account}/${api.edges.make}`
  const result = await graphCall(input, 'POST', path, fields, MAKE_TIMEOUT_MS)
  if (result.kind !== 'response') return asPreparing(meaningOfSilence(result, api.name))
  if (result.status !== 200) return asPreparing(meaningOf(result, api.errors, Date.now()))
  const id = readJson(Made, result.text)?.id
  return id === undefined
    ? { outcome: 'transient', message: `${api.name} gave an answer that is not readable.` }
    : { outcome: 'made', container: { id, isFinished: false, madeAt: Date.now() } }
}

/** Waits until a container is processed. One that cannot be used any more is forgotten, so that it is made again. */
async function finish(
  api: ContainerApi,
  input: PublishInput,
  container: Container,
  forget: () => void,
): Promise<NotPublished | undefined> {
  if (container.isFinished) return undefined
  const told = await waitForEnd(api, input, container.id)
  if ('outcome' in told) return told
  switch (told.state) {
    case 'finished':
    case 'published':
      container.isFinished = true
      return undefined
    case 'expired':
      forget()
      return { outcome: 'transient', message: `${api.name} has dropped a file of the post.` }
    case 'failed':
      forget()
      return api.meaningOfFailure(told.said)
    case 'working':
      return {
        outcome: 'transient',
        message: `${api.name} is still working on the files of the post.`,
      }
  }
}

/** Asks, less and less often, until a container is no longer worked on, or the patience is over. */
async function waitForEnd(
  api: ContainerApi,
  input: PublishInput,
  id: string,
): Promise<ContainerState | NotPublished> {
  const signal = AbortSignal.any([input.signal, AbortSignal.timeout(PATIENCE_MS)])
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    const told = await askState(api, input, id)
    if ('outcome' in told || told.state !== 'working') return told
    try {
      await wait(pauseMs, undefined, { signal })
    } catch {
      return told
    }
  }
}

/** The state of a container as the platform tells it now. */
export async function askState(
  api: ContainerApi,
  input: PublishInput,
  id: string,
): Promise<ContainerState | NotPublished> {
  const fields = { fields: api.stateFields }
  const result = await graphCall(input, 'GET', `/${id}`, fields, ASK_TIMEOUT_MS)
  if (result.kind !== 'response') return asPreparing(meaningOfSilence(result, api.name))
  if (result.status !== 200) return asPreparing(meaningOf(result, api.errors, Date.now()))
  return (
    api.readState(result.text) ?? {
      outcome: 'transient',
      message: `${api.name} gave an answer that is not readable.`,
    }
  )
}
