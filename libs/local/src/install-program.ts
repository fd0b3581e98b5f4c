import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'

/**
 * Runs `obtain` in an empty work folder beside `folder` and moves the program it answers into `folder`, under its own
 * name. The move is one step, so of two processes that do this at once both end with a whole file. Answers the final
 * path, or undefined when `obtain` does. The work folder is gone afterwards.
 */
export async function installProgram(
  folder: string,
  obtain: (workFolder: string) => Promise<string | undefined>,
): Promise<string | undefined> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const workFolder = mkdtempSync(join(folder, '.work-'))
  try {
    const program = await obtain(workFolder)
    if (program === undefined) return undefined
    const name = basename(program)
    const copy = join(workFolder, `${name}.complete`)
    copyFileSync(program, copy)
    chmodSync(copy, 0o755)
    const path = join(folder, name)
    renameSync(copy, path)
    return path
  } finally {
    rmSync(workFolder, { recursive: true, force: true })
  }
}
