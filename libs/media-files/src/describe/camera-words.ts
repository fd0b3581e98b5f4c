import exif from 'exifreader'
import { cleanText } from './clean-text.ts'

/** Only these are read: a place is never looked at, and so cannot be told. */
const TAGS = ['DateTimeOriginal', 'Make', 'Model']
const MAX_NAME = 60
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]

/** Says when and with what a picture was taken, from the first bytes of its file. Null when it does not say. */
export function cameraWords(head: Buffer): string | null {
  const tags = readTags(head)
  if (!tags) return null
  const date = dateWords(textOf(tags.DateTimeOriginal))
  const camera = cameraName(textOf(tags.Make), textOf(tags.Model))
  if (date === null && camera === null) return null
  const on = date === null ? '' : ` on ${date}`
  const using = camera === null ? '' : ` with the camera ${camera}`
  return `Taken${on}${using}.`
}

/** `2026:05:12 10:00:00` as `12 May 2026`; null for what is no date, such as the zeros of a camera without a clock. */
export function dateWords(exifDate: string): string | null {
  const [, year = '', month = '', day = ''] = /^(\d{4}):(\d{2}):(\d{2}) /.exec(exifDate) ?? []
  const date = new Date(`${year}-${month}-${day}T00:00:00Z`)
  const isReal = !Number.isNaN(date.getTime()) && date.getUTCDate() === Number(day)
  if (!isReal || Number(year) < 1900) return null
  return `${Number(day)} ${MONTHS[Number(month) - 1]} ${Number(year)}`
}

/** Make and model as one name; most models begin with their make. */
export function cameraName(make: string, model: string): string | null {
  const [maker, name] = [cleanText(make, MAX_NAME), cleanText(model, MAX_NAME)]
  const hasMaker = name.toLowerCase().startsWith(maker.toLowerCase())
  const both = hasMaker ? name : `${maker} ${name}`.trim()
  return both === '' ? null : both
}

function readTags(head: Buffer) {
  try {
    return exif.load(head, { includeTags: { exif: TAGS } })
  } catch {
    return null
  }
}

function textOf(tag: { description?: unknown } | undefined): string {
  return typeof tag?.description === 'string' ? tag.description : ''
}
