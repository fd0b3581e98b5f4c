import { access, constants } from 'node:fs/promises'
import { cleanText, MAX_DESCRIPTION } from './clean-text.ts'
import { describeDocument } from './describe-document.ts'
import { describePicture } from './describe-picture.ts'
import { describeVideo } from './describe-video.ts'
import type { FileFacts } from './file-facts.ts'

/**
 * Describes a file in one to three plain sentences, from the file alone and without any network. What cannot be read
 * is left out; null when nothing is left. Takes seconds, for the text in a picture or a PDF, and never more than about
 * 20 seconds. Throws only when there is no such file or it may not be read.
 */
export async function describeFile(path: string, facts: FileFacts): Promise<string | null> {
  await access(path, constants.R_OK)
  const description = await describe(path, facts)
  return description && cleanText(description, MAX_DESCRIPTION)
}

async function describe(path: string, facts: FileFacts): Promise<string | null> {
  switch (facts.type) {
    case 'image':
    case 'gif':
      return describePicture(path, facts)
    case 'video':
      return describeVideo(facts)
    case 'document':
      return describeDocument(path, facts)
  }
}
