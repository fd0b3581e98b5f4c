import { accessSync, constants, lstatSync, mkdirSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * The folder for programs that Herald fetched, made when missing: `$XDG_CACHE_HOME/herald`, `~/.cache/herald`, or
 * where the home cannot be written a folder of this user alone under the temporary folder.
 */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  const base = env['XDG_CACHE_HOME'] || join(env['HOME'] || homedir(), '.cache')
  const folder = join(base, 'herald')
  if (isOwnFolder(folder)) return folder
  const temporary = join(env['TMPDIR'] || tmpdir(), `herald-${process.getuid?.() ?? 'user'}`)
  if (isOwnFolder(temporary)) return temporary
  throw new Error(`Neither ${folder} nor ${temporary} can be written. Set XDG_CACHE_HOME.`)
}

/** Programs are run from here, so a folder that another user made or can write is not accepted. */
function isOwnFolder(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    accessSync(folder, constants.W_OK)
    const { uid, mode } = lstatSync(folder)
    return uid === (process.getuid?.() ?? uid) && (mode & 0o022) === 0
  } catch {
    return false
  }
}
