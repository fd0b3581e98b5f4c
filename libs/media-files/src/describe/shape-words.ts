import type { FileFacts } from '../inspection.ts'

/** Sides that differ by less than this part look like a square. */
const SQUARE_TOLERANCE = 0.03

/** How a picture or video lies, by its sides in pixels. */
export function orientation(width: number, height: number): 'square' | 'landscape' | 'portrait' {
  if (Math.abs(width - height) <= SQUARE_TOLERANCE * Math.max(width, height)) return 'square'
  return width > height ? 'landscape' : 'portrait'
}

/** The size as words such as `1600 by 900 pixels`; null when a side is unknown. */
export function sizeWords({ width, height }: Pick<FileFacts, 'width' | 'height'>): string | null {
  return width && height ? `${width} by ${height} pixels` : null
}

/** A duration in seconds as words such as `1 minute 5 seconds`; null when it is unknown. */
export function durationWords(seconds: number | null): string | null {
  if (seconds === null || !Number.isFinite(seconds) || seconds < 0) return null
  const whole = Math.round(seconds)
  if (whole === 0) return 'less than a second'
  const parts = [
    counted(Math.floor(whole / 3600), 'hour'),
    counted(Math.floor(whole / 60) % 60, 'minute'),
    counted(whole % 60, 'second'),
  ]
  return parts.filter((part) => part !== null).join(' ')
}

/** A number of things as words such as `3 pages`; null for none. */
export function counted(count: number, thing: string): string | null {
  if (count === 0) return null
  return count === 1 ? `1 ${thing}` : `${count} ${thing}s`
}

/** Words as a list in a sentence: `red`, `red and blue`, `red, blue and white`. */
export function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}

/** Parts of a sentence with commas between them, beginning with a capital and ending with a full stop. */
export function sentence(...parts: (string | null)[]): string {
  const text = parts.filter((part) => part !== null).join(', ')
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}
