import { readFileSync } from 'node:fs'
import { link, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findProcess } from './process-info.ts'
import { StartRefused } from './start-refused.ts'

/** Who runs a stack on a folder. The command line tells it from a later program with the same process id. */
const CLAIM_FILE = 'owner'

/**
 * Makes this process the only one that runs a stack on a folder; returns how to give it free again. A claim of a
 * process that was killed does not count. Throws `StartRefused` while another one is alive.
 */
export async function claimFolder(dataDir: string): Promise<() => Promise<void>> {
  const path = join(dataDir, CLAIM_FILE)
  const draft = `${path}.${process.pid}`
  await writeFile(draft, `${process.pid} ${findProcess(process.pid)?.commandLine}`)
  try {
    // A link appears whole, and only where there is none, so of two that start together one gets it.
    while (!(await isLinked(draft, path))) {
      const owner = ownerOf(dataDir)
      if (owner !== undefined && owner !== process.pid)
        throw new StartRefused(
          `Herald runs on ${dataDir} already (process ${owner}). Stop that one first, or set HERALD_DATA_DIR.`,
        )
      await rm(path, { force: true })
    }
  } finally {
    await rm(draft, { force: true })
  }
  return () => rm(path, { force: true })
}

/** The process id of the living process that runs, starts or stops a stack on a folder, if there is one. */
export function ownerOf(dataDir: string): number | undefined {
  const [, pid, commandLine] = /^(\d+) (.*)$/s.exec(read(join(dataDir, CLAIM_FILE))) ?? []
  const isAlive = pid !== undefined && findProcess(Number(pid))?.commandLine === commandLine
  return isAlive ? Number(pid) : undefined
}

async function isLinked(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
