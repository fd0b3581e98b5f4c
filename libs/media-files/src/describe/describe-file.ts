import { access, constants } from 'node:fs/promises'
import { cleanText, MAX_DESCRIPTION } from './clean-text.ts'
import { describeDocument } from './describe-document.ts'
import { describePicture } from './describe-picture.ts'
import { describeVideo } from './describe-video.ts'
import type { FileFacts } from '../inspection.ts'

/**
 * Describes a file in one to three plain sentences, from the file alone and without any network. What cannot be read
 * is left out; null when nothing is left. There are at most three steps, each of which is given up after `stepMs`
 * milliseconds. Throws only when there is no such file or it may not be read.
 */
export async function describeFile(
  path: string,
  facts: FileFacts,
  stepMs = 6_000,
): Promise<string | null> {
  await access(path, constants.R_OK)
  const description = await describe(path, facts, stepMs)
  return description && cleanText(description, MAX_DESCRIPTION)
}

async function describe(path: string, facts: FileFacts, stepMs: number): Promise<string | null> {
  switch (facts.type) {
    case 'image':
    case 'gif':
      return describePicture(path, facts, stepMs)
    case 'video':
      return describeVideo(facts)
    case 'document':
      return describeDocument(path, facts, stepMs)
  }
}
