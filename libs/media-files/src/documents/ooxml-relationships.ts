import { UnreadableFile } from '../unreadable-file.ts'
import { NOT_A_DOCUMENT } from './document-facts.ts'
import { xmlTags } from './xml-part.ts'

/** What a part refers to: another part of the document, or with the mode `External` something elsewhere. */
type Relationship = { kind: string; target: string; isExternal: boolean }

const OUTSIDE = 'The document refers to files outside of it, which is not accepted.'

// These open when a reader clicks or looks at them. Templates, frames and embedded objects are loaded unasked.
const SHOWN_KINDS = new Set(['hyperlink', 'image', 'video', 'audio', 'media'])

/** The name of the part that a document's root relationships call its main one. */
export function mainPartName(rootRelationships: string): string {
  const all = [...relationships(rootRelationships)]
  const [main, ...others] = all.filter(({ kind }) => kind === 'officeDocument')
  if (!main || others.length > 0 || main.isExternal) throw new UnreadableFile(NOT_A_DOCUMENT)
  return main.target.replace(/^\//, '')
}

/**
 * Refuses relationships to files and shares, whose mere lookup tells a password's hash to another machine, and those
 * that make Office load something from elsewhere. Links that a reader follows are accepted.
 */
export function refuseOutsideTargets(text: string): void {
  for (const { kind, target, isExternal } of relationships(text)) {
    if (isExternal && (isFile(target) || !SHOWN_KINDS.has(kind))) throw new UnreadableFile(OUTSIDE)
  }
}

function* relationships(text: string): Generator<Relationship> {
  for (const { name, attributes } of xmlTags(text)) {
    if (name !== 'Relationship') continue
    const type = attributes.get('Type') ?? ''
    yield {
      kind: type.slice(type.lastIndexOf('/') + 1),
      target: (attributes.get('Target') ?? '').trim(),
      isExternal: attributes.get('TargetMode')?.toLowerCase() === 'external',
    }
  }
}

/** A path of a drive or a share, also in the percent encoding that addresses may have. */
function isFile(target: string): boolean {
  const plain = target.replaceAll(/%([0-9a-f]{2})/gi, (_, hex) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  return /^([\\/]{2}|[a-z]:[\\/]|(file|smb|ms-[\w-]+|search-ms|javascript|data):)/i.test(
    plain.trim(),
  )
}
