import { imageSize } from './image-size.ts'
import { sniffMimeType } from './sniff.ts'
import { videoSize } from './video-size.ts'

/** A file that a platform fetched by its address. `mimeType` is what the bytes say, else what the server said. */
export type FetchedFile = {
  bytes: Buffer
  mimeType: string
  width: number | null
  height: number | null
}

const TIMEOUT_MS = 20_000

/**
 * Gets a file as platforms that pull do: one GET without credentials, no redirects, at most `maxBytes`. Answers why not
 * when there is none to be had, so that the platform can refuse it in its own words.
 */
export async function fetchFile(
  url: string,
  maxBytes: number,
): Promise<FetchedFile | { problem: 'unreachable' | 'too-large' }> {
  try {
    const response = await fetch(url, {
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    if (response.status !== 200) return { problem: 'unreachable' }
    const chunks: Uint8Array[] = []
    let size = 0
    for await (const chunk of response.body ?? []) {
      size += chunk.length
      if (size > maxBytes) return { problem: 'too-large' }
      chunks.push(chunk)
    }
    return describe(Buffer.concat(chunks), response.headers.get('content-type') ?? '')
  } catch {
    return { problem: 'unreachable' }
  }
}

/** The type and size of a file by its bytes. */
export function describe(bytes: Buffer, said: string): FetchedFile {
  const mimeType = sniffMimeType(bytes) ?? said.split(';')[0]?.trim() ?? ''
  const size = imageSize(bytes, mimeType) ?? videoSize(bytes, mimeType)
  return { bytes, mimeType, width: size?.width ?? null, height: size?.height ?? null }
}
