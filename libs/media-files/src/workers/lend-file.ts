import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { chmod, copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/** Makes files readable for workers, which may run as another user than the one that the files belong to. */
export type LendingDesk = {
  /** Calls `use` with an absolute path at which a worker can read the file; it is good until `use` has ended. */
  lend: <T>(path: string, use: (path: string) => Promise<T>) => Promise<T>
  /** Removes what is left. */
  close: () => Promise<void>
}

/**
 * For workers of the same user files are lent as they are. Another user gets a copy, in a folder that it can neither
 * list nor write to; on file systems that share blocks the copy costs nothing.
 */
export async function openLendingDesk(options: { isOtherUser: boolean }): Promise<LendingDesk> {
  if (!options.isOtherUser) {
    return { lend: (path, use) => use(resolve(path)), close: async () => undefined }
  }
  const folder = await mkdtemp(join(tmpdir(), 'herald-media-'))
  await chmod(folder, 0o711)
  return {
    async lend(path, use) {
      const copy = join(folder, randomUUID())
      try {
        await copyFile(path, copy, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL)
        await chmod(copy, 0o444)
        return await use(copy)
      } finally {
        await rm(copy, { force: true })
      }
    },
    close: () => rm(folder, { recursive: true, force: true }),
  }
}
