import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { ownerOf } from './claim-folder.ts'

/** Where a running stack is, as `run.json` in its data folder tells. */
export const RunFile = z.object({
  apiUrl: z.string(),
  /** Where browsers reach the API, and platforms send people back to. */
  publicUrl: z.string(),
  natsUrl: z.string(),
  postgresUrl: z.string(),
  sandboxUrl: z.string(),
  /** Where files are served. */
  filesUrl: z.string(),
  pid: z.int(),
  demo: z.object({
    organizationId: z.string(),
    apiKey: z.string(),
    channels: z.array(z.object({ id: z.string(), platform: z.string() })),
  }),
})
export type RunFile = z.infer<typeof RunFile>

/** The data folder: `HERALD_DATA_DIR`, or `.herald` in the present folder. */
export function dataFolder(env: Record<string, string | undefined>): string {
  return env.HERALD_DATA_DIR || '.herald'
}

/** The stack that runs on a data folder, or nothing when none does. */
export async function findRunning(dataDir: string): Promise<RunFile | undefined> {
  const text = await readFile(join(dataDir, 'run.json'), 'utf8').catch(() => undefined)
  const parsed = RunFile.safeParse(text === undefined ? undefined : parse(text))
  return parsed.success && parsed.data.pid === ownerOf(dataDir) ? parsed.data : undefined
}

/** Tells others where the stack is. The file appears whole or not at all, readable by its owner only. */
export async function writeRunFile(dataDir: string, run: RunFile): Promise<void> {
  const path = join(dataDir, 'run.json')
  await writeFile(`${path}.new`, `${JSON.stringify(run, null, 2)}\n`, { mode: 0o600 })
  await rename(`${path}.new`, path)
}

/** The stack has stopped. */
export function removeRunFile(dataDir: string): Promise<void> {
  return rm(join(dataDir, 'run.json'), { force: true })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
