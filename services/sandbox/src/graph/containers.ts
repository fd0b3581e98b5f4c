import { z } from 'zod'
import type { Ledger, Part } from '../ledger.ts'
import type { World } from '../stand-in.ts'
import { refuse } from './errors.ts'
import { newGraphId } from './ids.ts'

const LIVES_MS = 24 * 3_600_000
const QUOTA_MS = 24 * 3_600_000

const Media = z.object({
  mimeType: z.string(),
  sizeBytes: z.number(),
  sha256: z.string(),
  width: z.number().nullable(),
  height: z.number().nullable(),
  altText: z.string().nullable(),
})
export type Media = z.infer<typeof Media>

const Container = z.object({
  id: z.string(),
  accountId: z.string(),
  /** The platform's own word: `TEXT`, `IMAGE`, `REELS`. */
  type: z.string(),
  text: z.string(),
  isItem: z.boolean(),
  media: Media.nullable(),
  children: z.array(z.string()),
  /** Other parameters that it was made with. */
  extra: z.record(z.string(), z.string()),
  /** Milliseconds since 1970. */
  madeAt: z.number(),
  readyAt: z.number(),
  /** Why processing it fails, in the platform's own word. */
  problem: z.string().nullable(),
})
export type Container = z.infer<typeof Container>

const Post = z.object({
  id: z.string(),
  containerId: z.string(),
  accountId: z.string(),
  shortcode: z.string(),
  /** Milliseconds since 1970. */
  at: z.number(),
})
export type Post = z.infer<typeof Post>

const Event = z.discriminatedUnion('type', [
  z.object({ type: z.literal('container-made'), container: Container }),
  z.object({ type: z.literal('post-published'), post: Post }),
])
type Event = z.infer<typeof Event>

type State = { containers: Map<string, Container>; posts: Map<string, Post> }

export type Containers = ReturnType<typeof openContainers>

/** The containers of Threads or Instagram, and the posts that were made of them. */
export function openContainers({ ledger, now }: World, name: string) {
  const part = openState(ledger, name)
  const postsOf = (accountId: string) =>
    [...part.state.posts.values()].filter((post) => post.accountId === accountId)
  const postOf = (container: Container) =>
    [...part.state.posts.values()].find(({ containerId }) => containerId === container.id)
  return {
    make: (given: Omit<Container, 'id' | 'madeAt'>): Container => {
      const container = { ...given, id: newGraphId(), madeAt: now() }
      part.record({ type: 'container-made', container })
      return container
    },
    find: (id = ''): Container | undefined => part.state.containers.get(id),
    post: (id = ''): Post | undefined => part.state.posts.get(id),
    /** Oldest first. */
    posts: (): Post[] => [...part.state.posts.values()],
    postsOf,
    containerOf: ({ containerId }: Post): Container => {
      const container = part.state.containers.get(containerId)
      if (!container) throw new Error(`There is no container ${containerId}.`)
      return container
    },
    /** What the container shows: its own file, or those of its items. */
    mediaOf: ({ media, children }: Container): Media[] => [
      ...(media ? [media] : []),
      ...children.flatMap((id) => part.state.containers.get(id)?.media ?? []),
    ],
    statusOf: (container: Container) => {
      if (postOf(container)) return 'PUBLISHED'
      if (container.readyAt > now()) return 'IN_PROGRESS'
      if (container.problem !== null) return 'ERROR'
      return container.madeAt + LIVES_MS <= now() ? 'EXPIRED' : 'FINISHED'
    },
    publish: (container: Container): Post => {
      const post: Post = {
        id: newGraphId(),
        containerId: container.id,
        accountId: container.accountId,
        shortcode: newShortcode(),
        at: now(),
      }
      part.record({ type: 'post-published', post })
      return post
    },
    /** How many posts the account has published in the last 24 hours. */
    quotaUsed: (accountId: string): number =>
      postsOf(accountId).filter(({ at }) => at > now() - QUOTA_MS).length,
  }
}

function openState(ledger: Ledger, name: string): Part<State, Event> {
  return ledger.part({
    name,
    schema: Event,
    empty: () => ({ containers: new Map(), posts: new Map() }),
    apply: (state, event) => {
      if (event.type === 'container-made') state.containers.set(event.container.id, event.container)
      else state.posts.set(event.post.id, event.post)
    },
  })
}

function newShortcode(): string {
  return `D${Buffer.from(newGraphId()).toString('base64url').slice(0, 10)}`
}

/** The quota of an account is used up. */
export function refuseQuota(userMessage: string): never {
  refuse({
    message: 'Application request limit reached',
    code: 9,
    subcode: 2207042,
    isTransient: false,
    userTitle:
      'You reached maximum number of posts that is allowed to be published by Content Publishing API.',
    userMessage,
  })
}
