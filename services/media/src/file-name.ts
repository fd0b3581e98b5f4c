import { AppError } from '@herald/contracts/errors'
import { FILE_TYPES, FileName } from '@herald/contracts/media'

/** Endings of programs and pages. A file under such a name would mislead whoever saves it. */
const MISLEADING = new Set(
  'exe com scr bat cmd msi dll js mjs vbs ps1 sh php jsp asp jar apk html htm xhtml svg xml hta lnk'.split(
    ' ',
  ),
)

const TYPES: Record<string, { endings: readonly string[] }> = FILE_TYPES
const KNOWN = new Set(Object.values(TYPES).flatMap(({ endings }) => endings))
const MOST_CHARACTERS = 255

/** Refuses a name whose ending says that the file is something else. An ending that means nothing here is no ending. */
export function requireFittingEnding(fileName: string, mimeType: string): void {
  const ending = endingOf(fileName)
  if (ending === undefined || endingsOf(mimeType).includes(ending)) return
  if (!KNOWN.has(ending) && !MISLEADING.has(ending)) return
  throw new AppError(
    'validation_failed',
    `A file named .${ending} is not of the type ${mimeType}.`,
    {
      details: { issues: [{ path: 'fileName', message: `does not fit the type ${mimeType}` }] },
    },
  )
}

/** The usual ending of a type of file, without the dot. */
export function usualEnding(mimeType: string): string {
  return endingsOf(mimeType)[0] ?? 'bin'
}

/** A name made of what a server called a file, which may be anything. */
export function nameForDownload(given: string | undefined, mimeType: string): string {
  const ending = usualEnding(mimeType)
  const bare = (given ?? '').split(/[/\\]/).at(-1) ?? ''
  const clean = bare
    .toWellFormed()
    .replaceAll(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffd]/gu, '')
    .trim()
  const stem = endingsOf(mimeType).includes(endingOf(clean) ?? '')
    ? clean.slice(0, clean.lastIndexOf('.'))
    : clean
  // A pair of surrogates that was cut in the middle goes as a whole.
  const short = stem.slice(0, MOST_CHARACTERS - ending.length - 1).replace(/[\ud800-\udbff]$/, '')
  const name = `${short}.${ending}`
  return /^\.+[^.]*$/.test(name) || !FileName.safeParse(name).success ? `file.${ending}` : name
}

function endingsOf(mimeType: string): readonly string[] {
  return TYPES[mimeType]?.endings ?? []
}

function endingOf(fileName: string): string | undefined {
  return /\.([a-z0-9]{1,5})$/i.exec(fileName)?.[1]?.toLowerCase()
}
