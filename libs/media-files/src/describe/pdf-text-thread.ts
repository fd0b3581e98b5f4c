// Reads the first words of a PDF file in a thread of its own (`pdf-text.ts`), because it works on the event loop.
import { readFile } from 'node:fs/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { getDocumentProxy } from 'unpdf'

/** A title page may have few words, so the second page is read too. */
const PAGES = 2
const ENOUGH_TEXT = 2_000

const path: string = workerData
const pdf = await getDocumentProxy(new Uint8Array(await readFile(path)), {
  maxImageSize: 1,
  stopAtErrors: false,
  useSystemFonts: false,
})

let text = ''
for (let number = 1; number <= Math.min(PAGES, pdf.numPages); number += 1) {
  const page = await pdf.getPage(number)
  // Read in pieces, since one page can hold a text of any length. The rest is left where it is: the thread ends anyway.
  for await (const { items } of page.streamTextContent().values({ preventCancel: true })) {
    for (const item of items) if ('str' in item) text += item.hasEOL ? `${item.str}\n` : item.str
    if (text.length > ENOUGH_TEXT) break
  }
  text += '\n'
  if (text.length > ENOUGH_TEXT) break
}
parentPort?.postMessage(text)
