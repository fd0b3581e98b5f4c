import type { Draft, MediaFacts, MediaType } from '../src/platform.ts'

/** A draft with defaults. */
export function aDraft(overrides: Partial<Draft> = {}): Draft {
  return { text: 'Hello', textPath: 'content', options: {}, media: [], ...overrides }
}

/** Files of these types. */
export function files(...types: MediaType[]): MediaFacts[] {
  return types.map((type, index) => ({
    id: `med_${index}`,
    type,
    mimeType: 'application/octet-stream',
    sizeBytes: 1000,
    width: null,
    height: null,
    durationSeconds: null,
    altText: null,
  }))
}
