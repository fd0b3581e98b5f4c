import { readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'

const PREFIX = 'herald-media'

/** Gives a piece of work a folder of its own, which is removed with all it holds, however the work ends. */
export async function withWorkFolder<T>(
  parent: string,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(parent, `${PREFIX}-${process.pid}-`))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Removes the folders of processes that have died. Called before there is work: what has our own id is of a predecessor. */
export async function removeDeadFolders(parent: string): Promise<void> {
  for (const name of readdirSync(parent)) {
    const pid = new RegExp(`^${PREFIX}-(\\d+)-`).exec(name)?.[1]
    if (pid !== undefined && (Number(pid) === process.pid || !isAlive(Number(pid))))
      await rm(join(parent, name), { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
