import type { MediaFacts } from '../platform.ts'

/** What Telegram shows a file as. */
export type Kind = 'photo' | 'video' | 'animation' | 'document'

/** Only MP4 is played in the chat; other videos are files to download. */
export function kindOf({ type, mimeType }: Pick<MediaFacts, 'type' | 'mimeType'>): Kind {
  switch (type) {
    case 'image':
      return 'photo'
    case 'gif':
      return 'animation'
    case 'video':
      return mimeType === 'video/mp4' ? 'video' : 'document'
    case 'document':
    case 'audio':
      return 'document'
  }
}
