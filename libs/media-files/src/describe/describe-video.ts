import type { FileFacts } from '../inspection.ts'
import { durationWords, orientation, sentence, sizeWords } from './shape-words.ts'

const FORMATS: Record<string, string> = {
  'video/mp4': 'MP4',
  'video/quicktime': 'QuickTime',
  'video/webm': 'WebM',
}

/** Says what is known of a video without looking at its frames: shape, format, size and duration. */
export function describeVideo(facts: FileFacts): string {
  const { width, height, mimeType } = facts
  const duration = durationWords(facts.durationSeconds)
  const kind = [width && height ? orientation(width, height) : null, FORMATS[mimeType], 'video']
  return sentence(kind.filter(Boolean).join(' '), sizeWords(facts), duration && `${duration} long`)
}
