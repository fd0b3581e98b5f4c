import { tmpdir } from 'node:os'
import type { ChannelAccess, Channel } from '@herald/contracts/channels'
import type { ChannelResult } from '@herald/contracts/posts'
import type {
  CommitOutcome,
  Connector,
  LookUpOutcome,
  PrepareResult,
} from '@herald/platforms/platform'
import type { FilesDeps } from '../src/files.ts'
import type { Deps } from '../src/deps.ts'
import { createGate } from '../src/gate.ts'
import { publish } from '../src/publish.ts'
import { accessTo, held, LEASE_SECONDS, publisherWorld, rowOf } from './world.ts'

type Script = {
  prepare: () => PrepareResult | Promise<PrepareResult>
  commit: () => CommitOutcome | Promise<CommitOutcome>
  lookUp: () => LookUpOutcome | Promise<LookUpOutcome>
  getForPublishing: FilesDeps['media']['getForPublishing']
  access: (channelId: string) => ChannelAccess | Promise<ChannelAccess>
  /** The channel's status after a dead token was reported. */
  reportDeadToken: () => Channel['status'] | Promise<Channel['status']>
  recordChannelResult: () => Promise<{ recorded: boolean }>
  /** How much longer the call may take for its files. */
  commitTimeMs: number
}

export type PublishingWorld = Awaited<ReturnType<typeof publishingWorld>>

/**
 * What the publisher works with: a real database, and a platform and services that do what the `script` says. It
 * notes every call; `script` may be changed at any time.
 */
export async function publishingWorld() {
  const base = await publisherWorld()
  const script: Script = {
    prepare: () => ({ outcome: 'ready', step: { prepared: true } }),
    commit: () => ({ outcome: 'unknown', message: 'No answer.' }),
    lookUp: () => ({ absent: true }),
    getForPublishing: neverCalled,
    access: accessTo,
    reportDeadToken: () => 'active',
    recordChannelResult: async () => ({ recorded: true }),
    commitTimeMs: 0,
  }
  const calls = {
    prepare: [] as Parameters<Connector['prepare']>[0][],
    commit: [] as Parameters<Connector['commit']>[0][],
    lookUp: [] as Parameters<Connector['lookUp']>[0][],
    deadTokens: [] as string[],
    results: [] as ChannelResult[],
  }
  const connector: Connector = {
    identify: neverCalled,
    freshToken: neverCalled,
    settles: 'none',
    commitTimeMs: () => script.commitTimeMs,
    prepare: async (input) => {
      calls.prepare.push(input)
      return script.prepare()
    },
    commit: async (input) => {
      calls.commit.push(input)
      return script.commit()
    },
    lookUp: async (input) => {
      calls.lookUp.push(input)
      return script.lookUp()
    },
  }
  const deps: Deps = {
    pool: base.pool,
    logger: base.logger,
    connectorOf: (platform) => (platform === 'MASTODON' ? connector : undefined),
    files: {
      media: {
        getForPublishing: async (input) => script.getForPublishing(input),
        rendition: neverCalled,
      },
      filesUrl: 'http://127.0.0.1:1',
      convertImage: neverCalled,
      workFolders: { parent: tmpdir(), service: 'publisher' },
    },
    gate: createGate({ logger: base.logger }),
    startedAt: '2026-01-01T00:00:00.000Z',
    timing: {
      prepareTimeoutMs: 60_000,
      commitTimeoutMs: 30_000,
      leaseSeconds: LEASE_SECONDS,
      reconcileSeconds: [5, 30, 120, 600],
      backoffMs: 5_000,
    },
    channels: {
      access: async ({ channelId }) => script.access(channelId),
      reportDeadToken: async ({ channelId, token }) => {
        calls.deadTokens.push(token)
        return channelWith(channelId, await script.reportDeadToken())
      },
    },
    posts: {
      getForPublishing: neverCalled,
      recordChannelResult: async ({ result }) => {
        calls.results.push(result)
        return script.recordChannelResult()
      },
    },
  }
  return { ...base, deps, script, calls }
}

/** Publishes one new attempt and answers its row. */
export async function publishOne(world: PublishingWorld) {
  const attempt = await held(world)
  await publish(world.deps, attempt)
  return rowOf(world, attempt)
}

async function neverCalled(): Promise<never> {
  throw new Error('The publisher has no reason to call this.')
}

function channelWith(id: string, status: Channel['status']): Channel {
  return {
    id,
    platform: 'MASTODON',
    platformName: 'Mastodon',
    name: 'A channel',
    username: 'someone',
    avatarUrl: null,
    status,
    rules: {
      requiresMedia: false,
      requiresVideo: false,
      maxImages: 4,
      maxChars: 500,
      requiredFields: [],
    },
  }
}
