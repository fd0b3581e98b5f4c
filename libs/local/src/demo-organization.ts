import type { accounts } from '@herald/contracts/accounts'
import type { channels } from '@herald/contracts/channels'
import { Platform } from '@herald/contracts/platforms'
import type { Client } from '@herald/contracts/rpc'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { RunFile } from './run-file.ts'

type Demo = RunFile['demo']

const DEMO_PLATFORMS = ['MASTODON', 'BLUESKY'] as const

const SandboxAccount = z.object({
  platform: Platform,
  baseUrl: z.string(),
  credentials: z.record(z.string(), z.string()),
})

/**
 * The organization to try Herald with: plan PRO, one key with all scopes, and a sandbox channel on each of two platforms
 * that take any text and picture. Channels on the others are connected like real ones.
 * It is made the first time and kept in `demo.json`, whose key is the only copy there is.
 */
export async function keepDemo(
  dataDir: string,
  sandboxUrl: string,
  clients: { accounts: Client<typeof accounts>; channels: Client<typeof channels> },
): Promise<Demo> {
  const path = join(dataDir, 'demo.json')
  const text = await readFile(path, 'utf8').catch(() => undefined)
  const kept = text === undefined ? undefined : RunFile.shape.demo.parse(JSON.parse(text))
  if (kept && (await isKnown(kept, clients.accounts))) return kept
  const demo = await makeDemo(sandboxUrl, clients)
  await writeFile(`${path}.new`, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 })
  await rename(`${path}.new`, path)
  return demo
}

/** With another POSTGRES_URL than the last time the organization is not there. */
async function isKnown(demo: Demo, client: Client<typeof accounts>): Promise<boolean> {
  const { data } = await client.listOrganizations({})
  return data.some(({ id }) => id === demo.organizationId)
}

async function makeDemo(
  sandboxUrl: string,
  clients: { accounts: Client<typeof accounts>; channels: Client<typeof channels> },
): Promise<Demo> {
  const { id: organizationId } = await clients.accounts.createOrganization({
    name: 'Demo',
    plan: 'PRO',
  })
  const key = await clients.accounts.createKey({
    organizationId,
    name: 'Demo key',
    scopes: ['read', 'generate', 'publish'],
  })
  const connected = await Promise.all(
    DEMO_PLATFORMS.map(async (platform) => {
      const { baseUrl, credentials } = await makeSandboxAccount(sandboxUrl, platform)
      return clients.channels.connect({ organizationId, platform, baseUrl, credentials })
    }),
  )
  return {
    organizationId,
    apiKey: key.secret,
    channels: connected.map(({ id, platform }) => ({ id, platform })),
  }
}

async function makeSandboxAccount(sandboxUrl: string, platform: string) {
  const response = await fetch(`${sandboxUrl}/_/accounts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ platform }),
    signal: AbortSignal.timeout(10_000),
  })
  if (!response.ok) throw new Error(`The sandbox made no ${platform} account: ${response.status}.`)
  return SandboxAccount.parse(await response.json())
}
