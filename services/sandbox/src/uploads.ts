import { Platform } from '@herald/contracts/platforms'
import { z } from 'zod'
import { FaultKind } from './faults.ts'
import type { Ledger } from './ledger.ts'

/** One call that brought a file, as the platform received it. */
const Upload = z.object({
  platform: Platform,
  /** Whose token it carried; null when nobody's. */
  account: z.string().nullable(),
  at: z.string(),
  /** Of the whole body, which on some platforms holds more than the file. */
  sizeBytes: z.number(),
  fault: FaultKind.nullable(),
  /** The status of the answer, whether or not the fault let it through. */
  status: z.number(),
  /** Whether the platform has the file now. */
  applied: z.boolean(),
})
export type Upload = z.infer<typeof Upload>

export type Uploads = {
  list: () => readonly Upload[]
  record: (upload: Upload) => void
}

/** Every upload of a file, oldest first: how a test proves that no file was sent again without need. */
export function openUploads(ledger: Ledger): Uploads {
  const part = ledger.part({
    name: 'uploads',
    schema: Upload,
    empty: (): Upload[] => [],
    apply: (state, upload) => void state.push(upload),
  })
  return { list: () => part.state, record: part.record }
}
