import { open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { UnreadableFile } from '../src/unreadable-file.ts'

export type Outcome<Result> = {
  result?: Result
  /** The sentence of an `UnreadableFile`. Any other error is thrown on. */
  refusal?: string
  /** How often the disk was read, and how many bytes in total. */
  reads: number
  bytes: number
}

/** Writes a file, lets it be inspected, and counts what was read through the handle that was opened for it. */
export async function inspectCounted<Result>(
  folder: string,
  content: Uint8Array,
  inspect: (path: string) => Promise<Result>,
): Promise<Outcome<Result>> {
  const path = join(folder, 'file')
  await writeFile(path, content)
  const counted = await countReads(path)
  try {
    return { result: await inspect(path), ...counted.sums }
  } catch (error) {
    if (error instanceof UnreadableFile) return { refusal: error.message, ...counted.sums }
    throw error
  } finally {
    counted.stop()
  }
}

type Read = (...args: unknown[]) => Promise<{ bytesRead: number }>

/** Handles have no class of their own that could be imported, so their prototype is taken from one. */
async function countReads(path: string) {
  await using handle = await open(path)
  const prototype: { read: Read } = Object.getPrototypeOf(handle)
  const original = prototype.read
  const sums = { reads: 0, bytes: 0 }
  prototype.read = async function read(...args) {
    const answer = await original.apply(this, args)
    sums.reads++
    sums.bytes += answer.bytesRead
    return answer
  }
  return { sums, stop: () => void (prototype.read = original) }
}
