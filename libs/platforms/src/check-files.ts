import type { Finding, MediaFacts, MediaType } from './platform.ts'

/** What a platform asks of a file that it gets as it is; of pictures, which are made to fit, only the alt text. */
export type FileLimits = {
  /** All that the library has, unless given. */
  mimeTypes?: readonly string[]
  maxBytes?: number
  /** Of width times height. */
  maxPixels?: number
  maxSeconds?: number
  maxAltText?: number
}

export type FileRules = {
  /** For people: `Mastodon`. */
  name: string
  /** The types that can be posted at all. */
  files: Partial<Record<MediaType, FileLimits>>
  countAltText: (text: string) => number
}

/** What is wrong with each file by itself; what is not known of a file breaks no rule. */
export function checkFiles(media: readonly MediaFacts[], rules: FileRules): Finding[] {
  return media.flatMap((file, index) => checkFile(file, `mediaIds.${index}`, rules))
}

function checkFile(file: MediaFacts, path: string, { name, files, countAltText }: FileRules) {
  const limits = files[file.type]
  if (!limits)
    return [{ rule: 'mediaType', path, message: `A post to ${name} takes no ${file.type}.` }]
  const { mimeTypes, maxBytes, maxPixels, maxSeconds, maxAltText } = limits
  const pixels = file.width === null || file.height === null ? 0 : file.width * file.height
  return [
    mimeTypes && !mimeTypes.includes(file.mimeType)
      ? {
          rule: 'mediaType',
          path,
          message: `${name} takes no ${file.type} of the type ${file.mimeType}, only ${mimeTypes.join(', ')}.`,
        }
      : undefined,
    exceeded('maxFileBytes', maxBytes, file.sizeBytes, `The ${file.type} has`, 'bytes'),
    exceeded('maxPixels', maxPixels, pixels, `The ${file.type} has`, 'pixels'),
    exceeded(
      'maxSeconds',
      maxSeconds,
      file.durationSeconds ?? 0,
      `The ${file.type} has`,
      'seconds',
    ),
    exceeded(
      'maxAltText',
      maxAltText,
      countAltText(file.altText ?? ''),
      'The alt text has',
      'characters',
    ),
  ].filter((finding) => finding !== undefined)

  function exceeded(
    rule: string,
    limit: number | undefined,
    actual: number,
    what: string,
    unit: string,
  ): Finding | undefined {
    if (limit === undefined || actual <= limit) return undefined
    return {
      rule,
      limit,
      actual,
      path,
      message: `${what} ${actual} ${unit}; ${name} takes ${limit}.`,
    }
  }
}
