import type { Call } from '../../call.ts'
import { refuse } from './refusals.ts'

/** The parts of a resource that a call asks for. A call must ask for one, and for none that there is not. */
export function requirePart({ query }: Call, known: readonly string[]): string[] {
  const parts = query.getAll('part').flatMap((text) => text.split(',').map((part) => part.trim()))
  if (parts.filter(Boolean).length === 0)
    refuse(400, 'missingRequiredParameter', { message: 'Required parameter: part' })
  const unknown = parts.find((part) => !known.includes(part))
  if (unknown !== undefined)
    refuse(400, 'unknownPart', { message: `'${unknown}'`, domain: 'youtube.part' })
  return parts
}

/** What is left of a resource when only these parts are asked for. */
export function only(
  parts: readonly string[],
  resource: Record<string, unknown>,
): Record<string, unknown> {
  const always = ['kind', 'etag', 'id', ...parts]
  return Object.fromEntries(Object.entries(resource).filter(([name]) => always.includes(name)))
}
