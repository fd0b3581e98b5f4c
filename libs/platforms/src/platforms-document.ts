import { FILE_TYPES } from '@herald/contracts/media'
import { PostOptions } from '@herald/contracts/post-options'
import { z } from 'zod'
import type { Connector, PlatformDefinition, PlatformRules } from './platform.ts'
import { probeMixes, probeText, probeTotal, probeTypes, type TypeLimits } from './probe-rules.ts'
import { platformOf } from './registry.ts'
import { PLATFORMS } from './rules-registry.ts'
import { settingVariable } from './settings.ts'

/** How each platform counts is shown by what these count. */
const SAMPLES: [string, string][] = [
  ['`é` of two code points', 'e\u0301'],
  ['an emoji', '🎉'],
  ['a family emoji', '👨‍👩‍👧'],
  ['`你好`', '你好'],
  ['a link of 40 characters', 'https://example.com/a/path/to/some/pages'],
  ['`@ada@example.social`', '@ada@example.social'],
]

const SETTLED: Record<Connector['settles'], string> = {
  key: 'by looking at the account; a repeat of the call is known to the platform by its key',
  deterministicId: 'by reading the post under the id that was chosen for it',
  twoPhase: 'by the state of what was prepared',
  lookup: "by looking through the account's latest posts",
  none: 'by nothing: it stays unconfirmed',
}

const UNITS: [string, string, string][] = [
  ['minSeconds', 'maxSeconds', 's'],
  ['minWidth', 'maxWidth', 'pixels wide'],
  ['minHeight', 'maxHeight', 'pixels high'],
  ['minPixels', 'maxPixels', 'pixels'],
]

/** `docs/platforms.md`: what every platform takes, as its rules and connector say. A test compares it with the file. */
export function platformsDocument(): string {
  const definitions = PLATFORMS.flatMap(({ rules }) => platformOf(rules.platform) ?? [])
  return `${[INTRODUCTION, countingTable(definitions), ...definitions.map(sectionOf)].join('\n\n')}\n`
}

const INTRODUCTION = `# The platforms

What each platform takes, before an account's own limits are known: \`GET /channels\` has those of a channel, and
\`POST /posts/validate\` says what would be refused. This page is made from the rules by
\`node libs/platforms/src/write-platforms-document.ts\`; how platforms are connected
and what is different for some accounts, such as webhooks of Discord, is in \`libs/platforms/README.md\`.`

function countingTable(definitions: readonly PlatformDefinition[]): string {
  const rows = definitions.map(({ name, rules }) => [
    name,
    ...SAMPLES.map(([, text]) => String(rules.countText(text, {}))),
  ])
  return ['## How texts are counted', table(['', ...SAMPLES.map(([name]) => name)], rows)].join(
    '\n\n',
  )
}

function sectionOf({ platform, name, rules, connector, settings }: PlatformDefinition): string {
  const types = probeTypes(rules)
  const mixes = probeMixes(rules, types)
  const variables = Object.entries(settings)
    .filter(([, byDefault]) => byDefault === null)
    .map(([setting]) => `\`${settingVariable(platform, setting)}\``)
  return [
    `## ${name}`,
    [
      `- \`${platform}\`: ${needsOf(rules)}`,
      `- text: ${textOf(rules, types)}`,
      `- connected ${connector.oauth ? 'by granting access in a browser, or ' : ''}by credentials${variables.length > 0 ? `; set ${variables.join(', ')}` : ''}`,
      ...(connector.choices ? ['- what can be chosen: `GET /channels/{id}/options`'] : []),
      `- a call of unknown outcome is settled ${SETTLED[connector.settles]}`,
      `- together in a post: ${mixes.join(', ') || 'nothing of different types'}${totalOf(rules, types)}`,
    ].join('\n'),
    table(['files', 'types', 'most', 'limits of each'], types.map(typeRow)),
    ...optionsOf(platform),
  ].join('\n\n')
}

function needsOf({ defaults }: PlatformRules): string {
  const { requiresMedia, requiresVideo, requiredFields } = defaults
  const file = requiresVideo ? 'a video' : requiresMedia ? 'a picture or video' : 'text or a file'
  return ['needs', [file, ...requiredFields.map((path) => `\`${path}\``)].join(', ')].join(' ')
}

function textOf(rules: PlatformRules, types: readonly TypeLimits[]): string {
  const { alone, withFile } = probeText(rules, types)
  const most = `${numberOf(alone ?? rules.defaults.maxChars)} characters`
  return withFile === undefined || withFile === alone
    ? most
    : `${most}, ${numberOf(withFile)} beside a file`
}

function totalOf(rules: PlatformRules, types: readonly TypeLimits[]): string {
  const total = probeTotal(rules, types)
  return total === undefined ? '' : `; ${numberOf(total)} bytes of all that is sent as it is`
}

function typeRow({ type, mimeTypes, limits, ratio, most }: TypeLimits): string[] {
  const { maxFileBytes, maxAltText } = limits
  const said = [
    maxFileBytes === undefined ? undefined : `${numberOf(maxFileBytes)} bytes`,
    ...UNITS.map(([least, largest, unit]) => rangeOf(limits[least], limits[largest], unit)),
    ratio && `width ${ratio}`,
    maxAltText === undefined ? undefined : `alt text of ${numberOf(maxAltText)} characters`,
  ].filter((one) => one !== undefined)
  const fitted = type === 'image' ? ['made to fit'] : []
  return [type, mimeTypes.map(endingOf).join(', '), String(most), [...fitted, ...said].join('; ')]
}

function rangeOf(
  least: number | undefined,
  largest: number | undefined,
  unit: string,
): string | undefined {
  if (least === undefined && largest === undefined) return undefined
  if (least === undefined) return `${numberOf(largest ?? 0)} ${unit} at most`
  if (largest === undefined) return `${numberOf(least)} ${unit} at least`
  return `${numberOf(least)} to ${numberOf(largest)} ${unit}`
}

const Field = z.object({
  type: z.string().optional(),
  enum: z.array(z.string()).optional(),
  maxLength: z.number().optional(),
  description: z.string().optional(),
})
const Schema = z.object({
  properties: z.record(z.string(), Field).default({}),
  required: z.array(z.string()).default([]),
})

/** The platform's own object in the body of `POST /posts`. */
function optionsOf(platform: string): string[] {
  const name = platform.toLowerCase()
  const option = new Map(Object.entries(PostOptions.shape)).get(name)
  if (!option) return []
  const { properties, required } = Schema.parse(z.toJSONSchema(option, { io: 'input' }))
  const rows = Object.entries(properties).map(([field, one]) => [
    `\`${name}.${field}\`${required.includes(field) ? ' (required)' : ''}`,
    one.enum?.map((value) => `\`${value}\``).join(', ') ?? one.type ?? '',
    (one.description ?? '').replaceAll('|', '\\|'),
  ])
  return rows.length === 0 ? [] : [table(['option', 'values', ''], rows)]
}

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}

/** The ending that files of a type usually have. */
function endingOf(mimeType: string): string {
  const types: Record<string, { endings: readonly string[] } | undefined> = FILE_TYPES
  return types[mimeType]?.endings[0] ?? mimeType
}

function numberOf(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 2 })
}
