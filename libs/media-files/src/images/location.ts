import { readFile } from 'node:fs/promises'

/**
 * The entry of EXIF data that leads to its GPS block, in both orders of bytes and with both types that it may have.
 * Such eight bytes in a row are no chance, so nothing needs to be parsed, and data that is out of order hides nothing.
 */
const EXIF_GPS = [
  '2588040001000000',
  '25880d0001000000',
  '8825000400000001',
  '8825000d00000001',
].map((hex) => Buffer.from(hex, 'hex'))

/** How XMP names coordinates. */
const XMP_GPS = ['GPSLatitude', 'GPSLongitude', 'GPSDestLatitude', 'GPSDestLongitude']

/** Text of a PNG in which programs keep EXIF data or XMP compressed, so that nothing can be found in it. */
const COMPRESSED = [
  'Raw profile type exif',
  'Raw profile type APP1',
  'Raw profile type xmp',
  'zTXtXML:com.adobe.xmp',
  'XML:com.adobe.xmp\0\u0001',
]

const MARKS = [...EXIF_GPS, ...XMP_GPS, ...COMPRESSED]

/**
 * Whether the metadata of a picture may tell where it was taken: anywhere in the file, so also in the smaller pictures
 * that cameras append. Once in doubt, it may.
 */
export async function mayTellPlace(path: string): Promise<boolean> {
  const file = await readFile(path)
  return MARKS.some((mark) => file.includes(mark))
}
