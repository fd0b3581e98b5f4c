/**
 * What is known of a file before it is described. Sizes are in pixels as shown; what is unknown or does not apply is
 * null.
 */
export type FileFacts = {
  type: 'image' | 'gif' | 'video' | 'document'
  mimeType: string
  width: number | null
  height: number | null
  durationSeconds: number | null
  pages: number | null
  isAnimated: boolean
}
