import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { installProgram } from './install-program.ts'
import type { NatsServerSource } from './nats-server-source.ts'
import { lastLines, runCommand } from './run-command.ts'

const DEADLINE_MS = 180_000

/**
 * Takes nats-server out of its Debian or Ubuntu package into the cache. Nothing is installed and no root is needed;
 * apt checks the package's signature. Answers undefined, with a line in the log, when that is not possible.
 */
export async function installNatsServerByApt({
  folder,
  env,
  log,
}: NatsServerSource): Promise<string | undefined> {
  if ((await runCommand(['apt-get', '--version'], { env })).code !== 0) {
    log('There is no apt to take nats-server from.')
    return undefined
  }
  log('Taking nats-server from the Debian package of this name.')
  return installProgram(folder, async (workFolder) => {
    const run = (...command: string[]) =>
      runCommand(command, { env, cwd: workFolder, timeoutMs: DEADLINE_MS })
    const failed = (output: string) => {
      log(`The package could not be used: ${lastLines(output)}`)
      return undefined
    }
    let download = await run('apt-get', 'download', 'nats-server')
    if (download.code !== 0) {
      // Images of containers come without package lists. They are fetched into the work folder, not into the system's.
      const options = privateLists(workFolder)
      const update = await run('apt-get', ...options, 'update')
      if (update.code !== 0) return failed(update.output)
      download = await run('apt-get', ...options, 'download', 'nats-server')
    }
    const archive = readdirSync(workFolder).find((name) => name.endsWith('.deb'))
    if (archive === undefined) return failed(download.output)
    const unpack = await run('dpkg-deb', '-x', archive, 'package')
    if (unpack.code !== 0) return failed(unpack.output)
    return join(workFolder, 'package', 'usr', 'sbin', 'nats-server')
  })
}

function privateLists(workFolder: string): string[] {
  for (const name of ['lists', 'archives']) {
    mkdirSync(join(workFolder, name, 'partial'), { recursive: true })
  }
  return [
    `--option=Dir::State::Lists=${join(workFolder, 'lists')}`,
    `--option=Dir::Cache=${workFolder}`,
    // The work folder belongs to this user alone, so apt must not step down to its own.
    '--option=APT::Sandbox::User=root',
  ]
}
