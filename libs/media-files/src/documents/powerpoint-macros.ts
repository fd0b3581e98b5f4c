import type { CompoundStream } from './compound-file.ts'
import { cutOff, tooMuch } from './limited-file.ts'

/**
 * The stream `PowerPoint Document` consists of records that may hold others (MS-PPT 2.3.1). Macros are not in a storage
 * of their own as in Word: a document has a list of information, and that has a record about its VBA project.
 */
const DOCUMENT = 0x03e8
const INFORMATION_LIST = 0x07d0
const VBA_INFORMATION = 0x03ff

const HEADER_BYTES = 8
const MAX_RECORDS = 100_000

/** Whether a presentation has a VBA project, also if it is one that was saved before and is not shown any more. */
export async function hasPowerPointMacros(stream: CompoundStream): Promise<boolean> {
  const end = stream.size
  let position = 0
  for (let count = 0; end - position >= HEADER_BYTES; count++) {
    if (count === MAX_RECORDS) throw tooMuch()
    const header = await stream.read(position, HEADER_BYTES)
    const type = header.readUInt16LE(2)
    const length = header.readUInt32LE(4)
    position += HEADER_BYTES
    if (length > end - position) throw cutOff()
    if (type === VBA_INFORMATION) return true
    // What holds the record that is looked for is entered, everything else is skipped.
    if (type !== DOCUMENT && type !== INFORMATION_LIST) position += length
  }
  return false
}
