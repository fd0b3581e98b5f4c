import { FILE_TYPES } from '@herald/contracts/media'
import type { Draft, Finding, MediaFacts, MediaType, PlatformRules } from './platform.ts'

/** What a platform takes of one type of file, as its rules say when they are asked. */
export type TypeLimits = {
  type: MediaType
  mimeTypes: string[]
  /** Largest and smallest values by the name of their rule, such as `maxFileBytes`. */
  limits: Record<string, number>
  /** Of width divided by height, as a phrase. */
  ratio: string | undefined
  /** Most files of this type in a post. */
  most: number
}

/** More files than any platform takes in a post. */
const MANY = 60
const VAST = { sizeBytes: 1e15, width: 1e6, height: 1e6, durationSeconds: 1e9 }
const TINY = { sizeBytes: 1, width: 1, height: 1, durationSeconds: 0.001 }
const THIN = [
  { width: 1e6, height: 1 },
  { width: 1, height: 1e6 },
]

/** The types of file that can be posted, each with its limits. */
export function probeTypes(rules: PlatformRules): TypeLimits[] {
  const types: MediaType[] = ['image', 'gif', 'video', 'document']
  return types.flatMap((type) => {
    const mimeTypes = mimeTypesOf(type).filter((mimeType) => isTaken(rules, type, mimeType))
    const [mimeType] = mimeTypes
    if (mimeType === undefined) return []
    const file = aFile(type, mimeType)
    const found = [
      { ...file, ...VAST, altText: 'x'.repeat(100_000) },
      { ...file, ...TINY },
    ].flatMap((one) => findingsOf(rules, [one]).filter(({ path }) => path === 'mediaIds.0'))
    const limits = Object.fromEntries(
      found.flatMap(({ rule, limit }) => (limit === undefined ? [] : [[rule, limit]])),
    )
    return { type, mimeTypes, limits, ratio: ratioOf(rules, file), most: mostOf(rules, file) }
  })
}

/** Pairs of different types that one post can have. */
export function probeMixes(rules: PlatformRules, types: readonly TypeLimits[]): string[] {
  return types.flatMap((one, index) =>
    types
      .slice(index + 1)
      .filter((other) => areTaken(rules, [fileOf(one), fileOf(other)]))
      .map((other) => `${one.type} with ${other.type}`),
  )
}

/** The longest text, without files and beside one. */
export function probeText(rules: PlatformRules, types: readonly TypeLimits[]) {
  const longest = (media: MediaFacts[]) =>
    rules
      .check(aDraft(media, 'x'.repeat(200_000)), { rules: rules.defaults, limits: {} })
      .find(({ rule }) => rule === 'maxChars')?.limit
  const [first] = types
  return { alone: longest([]), withFile: first && longest([fileOf(first)]) }
}

/** Most bytes of all files together that are sent as they are, where a platform takes them in one request. */
export function probeTotal(rules: PlatformRules, types: readonly TypeLimits[]): number | undefined {
  const vast = types.map((one) => ({ ...fileOf(one), ...VAST }))
  const found = vast.flatMap((file) => findingsOf(rules, [file]))
  return found.find(({ rule, limit }) => rule === 'maxTotalBytes' && limit !== undefined)?.limit
}

function isTaken(rules: PlatformRules, type: MediaType, mimeType: string): boolean {
  return !findingsOf(rules, [aFile(type, mimeType)]).some(({ rule }) => rule === 'mediaType')
}

function ratioOf(rules: PlatformRules, file: MediaFacts): string | undefined {
  const found = THIN.flatMap((shape) => findingsOf(rules, [{ ...file, ...shape }]))
  const message = found.find(({ rule }) => rule === 'aspectRatio')?.message ?? ''
  return /whose width is (.+ times their height)/.exec(message)?.[1]
}

function mostOf(rules: PlatformRules, file: MediaFacts): number {
  let most = 1
  while (most < MANY && areTaken(rules, Array<MediaFacts>(most + 1).fill(file))) most++
  return most
}

/** Whether nothing is wrong with the files together that is not wrong with one of them alone. */
function areTaken(rules: PlatformRules, media: MediaFacts[]): boolean {
  const alone = media.flatMap((file) => findingsOf(rules, [file])).map(({ rule }) => rule)
  return findingsOf(rules, media).every(({ rule }) => alone.includes(rule))
}

function findingsOf(rules: PlatformRules, media: MediaFacts[]): Finding[] {
  return rules.check(aDraft(media, 'Hello'), { rules: rules.defaults, limits: {} })
}

function aDraft(media: MediaFacts[], text: string): Draft {
  return { text, textPath: 'content', options: {}, media }
}

function fileOf({ type, mimeTypes }: TypeLimits): MediaFacts {
  return aFile(type, mimeTypes[0] ?? '')
}

/** A small square of ten seconds, which most platforms take. */
function aFile(type: MediaType, mimeType: string): MediaFacts {
  const isMoving = type === 'gif' || type === 'video'
  const isSeen = isMoving || type === 'image'
  return {
    id: 'med_0',
    type,
    mimeType,
    sizeBytes: 1000,
    width: isSeen ? 1080 : null,
    height: isSeen ? 1080 : null,
    durationSeconds: isMoving ? 10 : null,
    altText: null,
  }
}

function mimeTypesOf(type: MediaType): string[] {
  return Object.entries(FILE_TYPES)
    .filter(([, one]) => one.type === type)
    .map(([mimeType]) => mimeType)
}
