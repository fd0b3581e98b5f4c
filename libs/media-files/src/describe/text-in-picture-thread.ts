// Reads the text of a picture in a thread of its own (`text-in-picture.ts`). Nothing comes from or goes to a network or
// a cache folder: the language data is a file of the package that `dataPath` names.
import { parentPort, workerData } from 'node:worker_threads'
import { createWorker, OEM, PSM } from 'tesseract.js'
import type { ReadWord, TextInPictureInput } from './text-in-picture.ts'

const { picture, dataPath }: TextInPictureInput = workerData

const worker = await createWorker('eng', OEM.LSTM_ONLY, {
  langPath: dataPath,
  cacheMethod: 'none',
  gzip: true,
  // Without this, some failures are told to nobody. Thrown here, they end this thread.
  errorHandler(error) {
    throw new Error(String(error))
  },
})
// Words on a picture stand anywhere, not in columns as on a page.
await worker.setParameters({ tessedit_pageseg_mode: PSM.SPARSE_TEXT })
const { data } = await worker.recognize(Buffer.from(picture), {}, { text: false, blocks: true })

const lines = (data.blocks ?? []).flatMap(({ paragraphs }) =>
  paragraphs.flatMap((paragraph) => paragraph.lines),
)
const words: ReadWord[] = lines.flatMap((line) =>
  line.words.map(({ text, confidence }) => ({ text, confidence })),
)
parentPort?.postMessage(words)
