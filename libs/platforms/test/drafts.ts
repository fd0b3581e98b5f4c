import type { Draft, MediaFacts, MediaType } from '../src/platform.ts'

/** A draft with defaults. */
export function aDraft(overrides: Partial<Draft> = {}): Draft {
  return { text: 'Hello', textPath: 'content', options: {}, media: [], ...overrides }
}

const MIME_TYPES: Record<MediaType, string> = {
  image: 'image/jpeg',
  gif: 'image/gif',
  video: 'video/mp4',
  document: 'application/pdf',
  audio: 'audio/mpeg',
}

/** Files of these types. */
export function files(...types: MediaType[]): MediaFacts[] {
  return types.map((type, index) => aFile({ id: `med_${index}`, type }))
}

/** A file with defaults. */
export function aFile(facts: Partial<MediaFacts> & Pick<MediaFacts, 'type'>): MediaFacts {
  return {
    id: 'med_0',
    mimeType: MIME_TYPES[facts.type],
    sizeBytes: 1000,
    width: null,
    height: null,
    durationSeconds: null,
    altText: null,
    ...facts,
  }
}
