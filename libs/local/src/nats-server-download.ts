import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { installProgram } from './install-program.ts'
import type { NatsServerSource } from './nats-server-source.ts'
import { lastLines, runCommand } from './run-command.ts'

/** The release that is fetched. Its checksums stand below; change both together. */
export const NATS_SERVER_VERSION = '2.14.7'

// SHA-256 of nats-server-v2.14.7-<platform>.tar.gz, as the official Docker image of that release pins them. A platform
// that is not listed is checked against the SHA256SUMS file of the release itself: that finds a damaged download, but
// not a release that was replaced by somebody.
const CHECKSUMS: Record<string, string> = {
  'linux-amd64': 'e5c20b1cb2c0566b54c544312e91e011f9e130c5c80f16a14f4cf28ef30b8be2',
  'linux-arm64': '50e0258a1b7290f3fe2e4f17506b74a90ffb1dd77867ae3a402eb0c9e2b0d40f',
  'linux-arm7': '820339a81ac3321a47ed1ebd2aabeebfb23544da13d6ec2c5fda115b5af8948d',
  'linux-386': '7c2b34da982d10fd5c6e51ad38035efe659fb4050b5f0873977297eb0a75a866',
  'linux-s390x': '81634eac81dce5ffdcd74d6786f55e97db8af474b1a3c863bdcd2a73ad2e4c16',
  'linux-ppc64le': '7db5df67900443ee4dc93fb0bb134c68ee7c09501956dbcf12e4e9ec05c32913',
}

const GO_ARCHITECTURES: Partial<Record<NodeJS.Architecture, string>> = {
  x64: 'amd64',
  arm64: 'arm64',
  arm: 'arm7',
  ia32: '386',
  s390x: 's390x',
  ppc64: 'ppc64le',
}

const ANSWER_DEADLINE_MS = 10_000
const TRANSFER_DEADLINE_MS = 180_000

/**
 * Downloads the pinned nats-server release, checks its SHA-256 and unpacks it into the cache. Answers undefined, with
 * a line in the log, when that is not possible. `HERALD_NATS_DOWNLOAD_URL` names a mirror in place of GitHub's release
 * page; the checksums are the same.
 */
export async function downloadNatsServer(
  { folder, env, log }: NatsServerSource,
  checksums: Record<string, string> = CHECKSUMS,
): Promise<string | undefined> {
  const platform = `${process.platform}-${GO_ARCHITECTURES[process.arch] ?? process.arch}`
  const name = `nats-server-v${NATS_SERVER_VERSION}-${platform}`
  const base =
    env['HERALD_NATS_DOWNLOAD_URL'] ||
    `https://github.com/nats-io/nats-server/releases/download/v${NATS_SERVER_VERSION}`
  log(`Downloading ${base}/${name}.tar.gz`)
  try {
    const archive = await fetchFile(`${base}/${name}.tar.gz`)
    const expected = checksums[platform] ?? (await publishedChecksum(base, `${name}.tar.gz`))
    const actual = createHash('sha256').update(archive).digest('hex')
    if (actual !== expected) {
      throw new Error(`its SHA-256 is ${actual} and should be ${expected}`)
    }
    return await installProgram(folder, async (workFolder) => {
      const file = join(workFolder, 'release.tar.gz')
      writeFileSync(file, archive)
      const { code, output } = await runCommand(['tar', '-xzf', file, '-C', workFolder])
      if (code !== 0) throw new Error(`tar failed: ${lastLines(output)}`)
      return join(workFolder, name, 'nats-server')
    })
  } catch (error) {
    log(`The download did not work: ${reasonOf(error)}`)
    return undefined
  }
}

async function publishedChecksum(base: string, file: string): Promise<string | undefined> {
  const sums = (await fetchFile(`${base}/SHA256SUMS`)).toString('utf8')
  const line = sums.split('\n').find((entry) => entry.trim().endsWith(` ${file}`))
  return line?.trim().split(/\s+/)[0]
}

/** A machine without a way out has to find that out soon, while a slow line may take its time. */
async function fetchFile(url: string): Promise<Buffer> {
  const control = new AbortController()
  const deadline = (ms: number, what: string) =>
    setTimeout(() => control.abort(new Error(`${what} within ${ms / 1000} seconds`)), ms)
  const answer = deadline(ANSWER_DEADLINE_MS, 'no answer')
  const transfer = deadline(TRANSFER_DEADLINE_MS, 'not finished')
  try {
    const response = await fetch(url, { signal: control.signal })
    clearTimeout(answer)
    if (!response.ok) throw new Error(`the server answered ${response.status} for ${url}`)
    return Buffer.from(await response.arrayBuffer())
  } finally {
    clearTimeout(answer)
    clearTimeout(transfer)
  }
}

/** `fetch` hides the reason of a failed connection in the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}, ${error.cause.message}` : error.message
}
