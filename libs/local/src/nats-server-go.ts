import { join } from 'node:path'
import { installProgram } from './install-program.ts'
import { NATS_SERVER_VERSION } from './nats-server-download.ts'
import type { NatsServerSource } from './nats-server-source.ts'
import { lastLines, runCommand } from './run-command.ts'

// The newest release that still builds with Go 1.25; NATS_SERVER_VERSION wants 1.26.
const VERSION_FOR_OLDER_GO = '2.12.15'

const BUILD_DEADLINE_MS = 900_000

/**
 * Builds nats-server with the Go compiler of this machine into the cache, which takes one to five minutes. The source
 * is checked by Go against its checksum database. Answers undefined, with a line in the log, when there is no Go or
 * the build fails.
 */
export async function installNatsServerByGo({
  folder,
  env,
  log,
}: NatsServerSource): Promise<string | undefined> {
  const { code, output: goVersion } = await runCommand(['go', 'env', 'GOVERSION'], { env })
  if (code !== 0) {
    log('There is no Go compiler to build nats-server with.')
    return undefined
  }
  const version = isAtLeast(goVersion, 26) ? NATS_SERVER_VERSION : VERSION_FOR_OLDER_GO
  const module = `github.com/nats-io/nats-server/v2@v${version}`
  log(`Building ${module} with ${goVersion}; this takes a few minutes, once.`)
  return installProgram(folder, async (workFolder) => {
    const result = await runCommand(['go', 'install', '-trimpath', module], {
      env: { ...env, CGO_ENABLED: '0', GOBIN: workFolder },
      timeoutMs: BUILD_DEADLINE_MS,
      // Outside of any Go module, whose own settings would count otherwise.
      cwd: workFolder,
    })
    if (result.code === 0) return join(workFolder, 'nats-server')
    log(`The build did not work: ${lastLines(result.output)}`)
    return undefined
  })
}

function isAtLeast(goVersion: string, minor: number): boolean {
  const [, actual] = /^go1\.(\d+)/.exec(goVersion) ?? []
  return Number(actual) >= minor
}
