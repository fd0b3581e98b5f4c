/** What a document file says about itself. */
export type DocumentFacts = {
  mimeType:
    | 'application/pdf'
    | 'application/msword'
    | 'application/vnd.ms-powerpoint'
    | 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
    | 'application/vnd.openxmlformats-officedocument.presentationml.presentation'
  /** Pages or slides; null when the file does not say how many. */
  pages: number | null
}

export const NOT_A_DOCUMENT = 'The file is not a PDF, Word or PowerPoint document.'
export const HAS_MACROS = 'The file holds macros, which are not accepted.'
export const HAS_PASSWORD = 'The file is encrypted or protected with a password.'
