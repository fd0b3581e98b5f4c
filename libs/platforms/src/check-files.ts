import type { Finding, MediaFacts, MediaType } from './platform.ts'

/** What a platform asks of a file that it gets as it is; of pictures, which are made to fit, only the shape and alt text. */
export type FileLimits = {
  /** All that the library has, unless given. */
  mimeTypes?: readonly string[]
  maxBytes?: number
  /** Of width times height. */
  maxPixels?: number
  minSeconds?: number
  maxSeconds?: number
  /** In pixels, of a picture or video whose size is known. */
  minWidth?: number
  minHeight?: number
  maxWidth?: number
  maxHeight?: number
  /** Of width divided by height. Unlike its size, the shape of a picture is kept when it is made to fit. */
  minRatio?: number
  maxRatio?: number
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

function checkFile(file: MediaFacts, path: string, rules: FileRules): Finding[] {
  const limits = rules.files[file.type]
  if (!limits)
    return [{ rule: 'mediaType', path, message: `A post to ${rules.name} takes no ${file.type}.` }]
  return [...checkSize(file, path, rules, limits), ...checkShape(file, path, rules, limits)]
}

function checkSize(
  file: MediaFacts,
  path: string,
  { name, countAltText }: FileRules,
  limits: FileLimits,
): Finding[] {
  const { mimeTypes, maxBytes, maxPixels, maxWidth, maxHeight, maxSeconds, maxAltText } = limits
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
    exceeded('maxWidth', maxWidth, file.width ?? 0, `The ${file.type} has`, 'pixels of width'),
    exceeded('maxHeight', maxHeight, file.height ?? 0, `The ${file.type} has`, 'pixels of height'),
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

/** What is too short, too small, or of the wrong shape. */
function checkShape(
  { type, width, height, durationSeconds }: MediaFacts,
  path: string,
  { name }: FileRules,
  { minSeconds, minWidth, minHeight, minRatio, maxRatio }: FileLimits,
): Finding[] {
  const ratio = width && height ? width / height : undefined
  const shape = `The ${type} is ${width} × ${height} pixels`
  const fits = `${name} takes ${type}s whose width is ${minRatio ?? 0} to ${maxRatio ?? 'any'} times their height.`
  return [
    fallsShort('minSeconds', minSeconds, durationSeconds, `The ${type} has`, 'seconds'),
    fallsShort('minWidth', minWidth, width, `${shape};`, 'pixels of width'),
    fallsShort('minHeight', minHeight, height, `${shape};`, 'pixels of height'),
    ratio !== undefined && (ratio < (minRatio ?? 0) || ratio > (maxRatio ?? Infinity))
      ? { rule: 'aspectRatio', path, message: `${shape}; ${fits}` }
      : undefined,
  ].filter((finding) => finding !== undefined)

  function fallsShort(
    rule: string,
    limit: number | undefined,
    actual: number | null,
    what: string,
    unit: string,
  ): Finding | undefined {
    if (limit === undefined || actual === null || actual >= limit) return undefined
    const message = `${what} ${actual} ${unit}; ${name} needs at least ${limit}.`
    return { rule, limit, actual, path, message }
  }
}
