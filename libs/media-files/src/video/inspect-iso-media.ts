import { cutOff, tooMuch, type LimitedFile } from '../documents/limited-file.ts'
import { UnreadableFile } from '../unreadable-file.ts'
import { fileBoxes, type BoxRange } from './boxes.ts'
import { addFragment, type FragmentTime } from './fragments.ts'
import { readMovie, type Movie } from './movie.ts'
import { NOT_A_VIDEO, type UncheckedFacts } from './video-facts.ts'

// The tables of four hours at 60 pictures per second take about 15 MB.
const MAX_MOVIE_BYTES = 32 * 1024 * 1024
const MAX_FRAGMENT_BYTES = 8 * 1024 * 1024
const MAX_BRANDS = 64

// Sound, phones of the years before 2010, and still images have the same container.
const OTHER_BRANDS = /^(M4A|M4B|M4P|3g|avi[fs]|hei|hev|mif1|msf1|mj|jp|jx|crx|F4[AB]|dv|aax)/
const MP4_BRANDS = /^(iso[m2-9a-c]|mp4[12]|avc1|av01|hvc1|dash|cmf|M4V|f4v |MSNV|XAVC)/

/** Reads an MP4 or MOV file: its brand, its movie header, and its fragments if it has any. */
export async function inspectIsoMedia(file: LimitedFile): Promise<UncheckedFacts> {
  let mimeType: UncheckedFacts['mimeType'] | undefined
  let movie: Movie | undefined
  let fragments: FragmentTime | undefined
  let isMediaDue = false
  for await (const box of fileBoxes(file)) {
    if (!mimeType) mimeType = await readBrand(file, box)
    if (box.type === 'moov') {
      if (movie) throw cutOff()
      movie = readMovie(await readBox(file, box, MAX_MOVIE_BYTES), file.size)
    }
    if (box.type === 'moof') {
      // A fragment is followed by its media; a file that ends between them was cut off.
      if (!movie || isMediaDue) throw cutOff()
      const moof = await readBox(file, box, MAX_FRAGMENT_BYTES)
      fragments = addFragment(fragments ?? movie.video.time, moof, movie.video)
    }
    if (box.type === 'moof' || box.type === 'mdat') isMediaDue = box.type === 'moof'
  }
  if (!mimeType || !movie || isMediaDue) throw cutOff()
  const { width, height } = movie.video
  return { mimeType, width, height, seconds: duration(movie, fragments) }
}

/**
 * What the movie header says counts, as players show it: an edit list may leave out parts of the tracks. But it knows
 * only what comes before the first fragment.
 */
function duration({ seconds, video }: Movie, fragments: FragmentTime | undefined): number {
  if (fragments) return (fragments.end - fragments.start) / video.timescale
  if (video.time) return seconds
  throw new UnreadableFile('The video has no pictures.')
}

async function readBrand(file: LimitedFile, box: BoxRange): Promise<UncheckedFacts['mimeType']> {
  if (box.type !== 'ftyp' || box.length > 8 + 4 * MAX_BRANDS) throw new UnreadableFile(NOT_A_VIDEO)
  const text = (await file.read(box.start, box.length)).toString('latin1')
  const major = text.slice(0, 4)
  if (major === 'qt  ') return 'video/quicktime'
  // Behind the major brand and its version are the brands that the file is compatible with.
  const compatible = text.slice(8).match(/[^]{4}/g) ?? []
  const isMp4 = [major, ...compatible].some((brand) => MP4_BRANDS.test(brand))
  if (OTHER_BRANDS.test(major) || !isMp4) throw new UnreadableFile(NOT_A_VIDEO)
  return 'video/mp4'
}

async function readBox(file: LimitedFile, box: BoxRange, maxBytes: number): Promise<Buffer> {
  if (box.length > maxBytes) throw tooMuch()
  return file.read(box.start, box.length)
}
