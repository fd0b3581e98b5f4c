import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The bytes of uploaded media, each once, by their SHA-256 in hex. */
export type Files = {
  put: (bytes: Buffer) => string
  get: (sha256: string) => Buffer | undefined
  clear: () => void
  close: () => void
}

/** Keeps files in `files` of the data folder, or without one in a folder that ends with the process. */
export function openFiles(dataDir: string | undefined): Files {
  const folder =
    dataDir === undefined ? mkdtempSync(join(tmpdir(), 'herald-sandbox-')) : join(dataDir, 'files')
  const makeFolder = () => void mkdirSync(folder, { recursive: true, mode: 0o700 })
  makeFolder()
  return {
    put: (bytes) => {
      const sha256 = createHash('sha256').update(bytes).digest('hex')
      const path = join(folder, sha256)
      if (!existsSync(path)) {
        writeFileSync(`${path}.new`, bytes)
        renameSync(`${path}.new`, path)
      }
      return sha256
    },
    get: (sha256) => {
      const path = join(folder, sha256)
      return /^[0-9a-f]{64}$/.test(sha256) && existsSync(path) ? readFileSync(path) : undefined
    },
    clear: () => {
      rmSync(folder, { recursive: true, force: true })
      makeFolder()
    },
    close: () => {
      if (dataDir === undefined) rmSync(folder, { recursive: true, force: true })
    },
  }
}
