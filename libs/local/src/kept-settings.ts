import { randomBytes } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'

/** What the embedded stack makes up the first time and must keep: secrets, and the port that channels point to. */
const KeptSettings = z.object({
  rpcSecret: z.string(),
  apiKeyPepper: z.string(),
  credentialsKey: z.string(),
  sandboxPort: z.int(),
})
export type KeptSettings = z.infer<typeof KeptSettings>

/** Reads the settings of a data folder, or makes them and keeps them there, readable by the owner only. */
export async function keepSettings(dataDir: string, freePort: number): Promise<KeptSettings> {
  const path = join(dataDir, 'settings.json')
  const text = await readFile(path, 'utf8').catch(() => undefined)
  if (text !== undefined) return KeptSettings.parse(JSON.parse(text))
  const secret = () => randomBytes(32).toString('base64')
  const settings: KeptSettings = {
    rpcSecret: secret(),
    apiKeyPepper: secret(),
    credentialsKey: secret(),
    sandboxPort: freePort,
  }
  await writeFile(`${path}.new`, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600 })
  await rename(`${path}.new`, path)
  return settings
}
