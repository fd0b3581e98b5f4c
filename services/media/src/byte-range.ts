import type { ByteRange } from '@herald/storage/storage'

/**
 * The one part of a file that a `Range` header asks for, or that it has no such part (RFC 9110, section 14). Several
 * parts at once, other units and what makes no sense are answered with the whole file.
 */
export function rangeOf(
  header: string | undefined,
  sizeBytes: number,
): ByteRange | 'unsatisfiable' | undefined {
  const [, first = '', last = ''] = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(header ?? '') ?? []
  if (first === '') return last === '' ? undefined : lastBytes(Number(last), sizeBytes)
  const start = Number(first)
  const end = last === '' ? Infinity : Number(last)
  if (start > end) return undefined
  return start < sizeBytes ? { start, end: Math.min(end, sizeBytes - 1) } : 'unsatisfiable'
}

function lastBytes(count: number, sizeBytes: number): ByteRange | 'unsatisfiable' {
  if (count === 0 || sizeBytes === 0) return 'unsatisfiable'
  return { start: Math.max(0, sizeBytes - count), end: sizeBytes - 1 }
}
