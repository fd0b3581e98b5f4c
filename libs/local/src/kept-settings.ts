import { randomBytes } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'

/** What the embedded stack makes up the first time and must keep: secrets, and the ports that addresses point to. */
const KeptSettings = z.object({
  rpcSecret: z.string(),
  apiKeyPepper: z.string(),
  credentialsKey: z.string(),
  storageSigningKey: z.string(),
  databasePassword: z.string(),
  sandboxPort: z.int(),
  filesPort: z.int(),
})
export type KeptSettings = z.infer<typeof KeptSettings>

/**
 * Reads the settings of a data folder. What is not there yet, such as all of them the first time, is made up and kept,
 * readable by the owner only.
 */
export async function keepSettings(
  dataDir: string,
  freePorts: Pick<KeptSettings, 'sandboxPort' | 'filesPort'>,
): Promise<KeptSettings> {
  const path = join(dataDir, 'settings.json')
  const text = await readFile(path, 'utf8').catch(() => '{}')
  const kept = KeptSettings.partial().parse(JSON.parse(text))
  const secret = () => randomBytes(32).toString('base64')
  const settings = KeptSettings.parse({
    rpcSecret: secret(),
    apiKeyPepper: secret(),
    credentialsKey: secret(),
    storageSigningKey: secret(),
    databasePassword: secret(),
    ...freePorts,
    ...kept,
  })
  if (Object.keys(kept).length < Object.keys(settings).length) {
    await writeFile(`${path}.new`, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600 })
    await rename(`${path}.new`, path)
  }
  return settings
}
