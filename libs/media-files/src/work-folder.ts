import { readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** Folders in `parent` for pieces of work on files, named after the service and process that makes them. */
export type WorkFolders = { parent: string; service: string }

/** Makes an empty folder for a piece of work. Whoever asks for it removes it with `removeWorkFolder`. */
export function makeWorkFolder(folders: WorkFolders): Promise<string> {
  return mkdtemp(join(folders.parent, `${prefixOf(folders)}${process.pid}-`))
}

/** Removes a folder with all it holds. */
export function removeWorkFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true })
}

/** Gives a piece of work a folder of its own, which is removed with all it holds, however the work ends. */
export async function withWorkFolder<T>(
  folders: WorkFolders,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = await makeWorkFolder(folders)
  try {
    return await work(folder)
  } finally {
    await removeWorkFolder(folder)
  }
}

/**
 * Removes the folders of the service's processes that have died. Called before there is work: what has our own id is of a
 * predecessor.
 */
export async function removeDeadWorkFolders(folders: WorkFolders): Promise<void> {
  // A name without a process is not of `makeWorkFolder`, and nothing is known of who uses it.
  const named = new RegExp(`^${prefixOf(folders)}(\\d+)-`)
  for (const name of readdirSync(folders.parent)) {
    const pid = Number(named.exec(name)?.[1] ?? NaN)
    if (pid === process.pid || (pid > 0 && !isAlive(pid)))
      await removeWorkFolder(join(folders.parent, name))
  }
}

function prefixOf({ service }: WorkFolders): string {
  return `herald-${service}-`
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
