import fc from 'fast-check'
import { MkvOutputFormat, MovOutputFormat, Mp4OutputFormat, WebMOutputFormat } from 'mediabunny'
import { temporaryFolder } from '@herald/testing/temporary-folder'
import { afterAll, describe, expect, test } from 'vitest'
import { inspectVideo } from '../src/video/inspect-video.ts'
import { inspectCounted } from './documents-counted-reads.ts'
import {
  box,
  boxOfSize,
  ftyp,
  longBox,
  longTimeHeader,
  mdat,
  moof,
  moov,
  mp4,
  mvex,
  NO_TABLES,
  QUARTER_TURN,
  tables,
  timeHeader,
  u32,
} from './video-mp4-files.ts'
import { record } from './video-recordings.ts'
import { block, cluster, element, float, text, uint, UNKNOWN, webm } from './video-webm-files.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

const inspect = (content: Uint8Array) => inspectCounted(folder.path, content, inspectVideo)

const NOT_A_VIDEO = 'The file is not an MP4, MOV or WEBM video.'
const CUT_OFF = 'The file is cut off or damaged.'
const TOO_MUCH = 'The file has more parts than can be read.'
const NO_VIDEO = 'The file has no video track.'
const NO_PICTURES = 'The video has no pictures.'
const SIZE = "The video's width and height must each be 1 to 16384 pixels."
const DURATION = 'The video must say how long it is, and not be longer than a day.'
const OUTSIDE = 'The video refers to media outside of its file.'

const five = { mimeType: 'video/mp4', width: 640, height: 360, durationSeconds: 5 }

describe('the facts of a file that a real muxer wrote', () => {
  const three = { width: 640, height: 360, durationSeconds: 3 }
  test.for([
    ['MP4 with moov at the front', new Mp4OutputFormat({ fastStart: 'in-memory' }), 'video/mp4'],
    ['MP4 with moov at the end', new Mp4OutputFormat({ fastStart: false }), 'video/mp4'],
    ['fragmented MP4', new Mp4OutputFormat({ fastStart: 'fragmented' }), 'video/mp4'],
    ['MOV', new MovOutputFormat(), 'video/quicktime'],
    ['WEBM', new WebMOutputFormat(), 'video/webm'],
    ['WEBM of a live recorder', new WebMOutputFormat({ appendOnly: true }), 'video/webm'],
  ] as const)('%s: type, size and duration are read', async ([, format, mimeType]) => {
    const withSound = mimeType !== 'video/quicktime'
    const file = await record({ format, codec: 'vp9', seconds: 3, withSound })
    expect((await inspect(file)).result).toEqual({ mimeType, ...three })
    const turned = await record({ format, codec: 'vp9', seconds: 3, withSound, rotation: 90 })
    expect((await inspect(turned)).result).toMatchObject({ width: 360, height: 640 })
  })

  test('a moov-first MP4 that was cut in half is refused', async () => {
    const format = new Mp4OutputFormat({ fastStart: 'in-memory' })
    const file = await record({ format, codec: 'av1', seconds: 3 })
    expect((await inspect(file.subarray(0, file.length / 2))).refusal).toBe(CUT_OFF)
  })

  test('a Matroska file is refused, whatever its name', async () => {
    const file = await record({ format: new MkvOutputFormat(), codec: 'vp9', seconds: 1 })
    expect((await inspect(file)).refusal).toBe(NOT_A_VIDEO)
  })
})

const empty = {
  stbl: NO_TABLES,
  mvhd: timeHeader('mvhd', 1000, 0),
  mdhd: timeHeader('mdhd', 1000, 0),
}
const fragmented = (...parts: Buffer[]) =>
  Buffer.concat([ftyp('iso5'), moov({ ...empty, mvex: [mvex(1000)] }), ...parts])
const withTables = (...stbl: Buffer[]) => mp4({ stbl })
const chunkAt = (start: number) => tables({ chunkStart: start })

describe('MP4 and MOV', () => {
  test.for<[string, Buffer, object]>([
    ['a plain MP4', mp4(), five],
    ['a MOV', mp4({ brand: 'qt  ' }), { ...five, mimeType: 'video/quicktime' }],
    ['an MP4 of a phone (M4V)', mp4({ brand: 'M4V ' }), five],
    ['a quarter turn swaps the sides', mp4({ matrix: QUARTER_TURN }), { width: 360, height: 640 }],
    [
      'boxes with sizes of 64 bits',
      Buffer.concat([ftyp(), longBox('mdat', Buffer.alloc(200)), moov({ chunkStart: 60 })]),
      five,
    ],
    [
      'media to the end of the file, which is a size of 0',
      Buffer.concat([ftyp(), moov({ chunkStart: 700 }), boxOfSize(0, 'mdat', Buffer.alloc(900))]),
      five,
    ],
    [
      'chunks with offsets of 64 bits',
      withTables(...tables({}).slice(0, 3), box('co64', u32(0, 1, 0, 9))),
      five,
    ],
    [
      'samples with sizes of 4 bits',
      withTables(
        box('stsc', u32(0, 1, 1, 2, 1)),
        box('stz2', u32(0, 4, 2), Buffer.of(0x12)),
        box('stco', u32(0, 1, 9)),
      ),
      five,
    ],
    [
      'times of 64 bits',
      mp4({ mvhd: longTimeHeader('mvhd', 1000, 7400n) }),
      { durationSeconds: 7 },
    ],
    [
      'half a second counts as one',
      mp4({ mvhd: timeHeader('mvhd', 1000, 200) }),
      { durationSeconds: 1 },
    ],
    ['the nearest second', mp4({ mvhd: timeHeader('mvhd', 1000, 2500) }), { durationSeconds: 3 }],
    [
      'an unknown duration is that of the track',
      mp4({ mvhd: timeHeader('mvhd', 1000, 0xffffffff) }),
      five,
    ],
    [
      'fragments that say when they begin',
      fragmented(moof([1000, 1000], 60_000), mdat(), moof([1000, 1000], 64_000), mdat()),
      { durationSeconds: 6 },
    ],
    [
      'fragments one after the other',
      fragmented(moof([1500]), mdat(), moof([2500]), mdat()),
      { durationSeconds: 4 },
    ],
    [
      'pictures in front of the fragments',
      Buffer.concat([ftyp(), moov({ chunkStart: 9, mvex: [mvex()] }), moof([2000], 5000), mdat()]),
      { durationSeconds: 7 },
    ],
  ])('%s', async ([, file, facts]) => {
    expect((await inspect(file)).result).toMatchObject(facts)
  })

  const nested = (count: number) => {
    const bytes = Buffer.alloc(count * 8)
    for (let index = 0; index < count; index++) {
      boxOfSize((count - index) * 8, 'moov').copy(bytes, index * 8)
    }
    return bytes
  }

  test.for<[string, Buffer, string]>([
    ['24 bytes of ftyp alone', ftyp('isom', 'isom', 'mp42'), CUT_OFF],
    ['no moov', Buffer.concat([ftyp(), mdat()]), CUT_OFF],
    [
      'a moov of size 0xFFFFFFFF',
      Buffer.concat([ftyp(), boxOfSize(0xffffffff, 'moov'), moov()]),
      CUT_OFF,
    ],
    [
      'a moov that is smaller than its header',
      Buffer.concat([ftyp(), boxOfSize(7, 'moov'), mdat()]),
      CUT_OFF,
    ],
    [
      'a size of 64 bits that is 0',
      Buffer.concat([ftyp(), longBox('free', mdat(), 0n), moov()]),
      CUT_OFF,
    ],
    [
      'a size of 64 bits that leads back',
      Buffer.concat([ftyp(), longBox('free', mdat(), 2n ** 64n - 20n)]),
      CUT_OFF,
    ],
    ['a million boxes in each other', Buffer.concat([ftyp(), nested(1_000_000)]), NO_VIDEO],
    [
      'two million boxes in a row',
      Buffer.concat([ftyp(), Buffer.alloc(16_000_000, box('free'))]),
      TOO_MUCH,
    ],
    [
      'a million boxes in moov',
      Buffer.concat([ftyp(), box('moov', Buffer.alloc(8_000_000, box('free')))]),
      TOO_MUCH,
    ],
    ['two moov', Buffer.concat([mp4(), moov()]), CUT_OFF],
    [
      'media at a URL',
      mp4({ dref: box('url ', u32(0), Buffer.from('http://169.254.169.254/\0')) }),
      OUTSIDE,
    ],
    ['media in another file', mp4({ dref: box('alis', u32(0)) }), OUTSIDE],
    [
      'a duration of 0',
      mp4({ mvhd: timeHeader('mvhd', 1000, 0), mdhd: timeHeader('mdhd', 1000, 0) }),
      DURATION,
    ],
    ['a duration of 2^63', mp4({ mvhd: longTimeHeader('mvhd', 1000, 2n ** 63n) }), DURATION],
    ['a timescale of 0', mp4({ mvhd: timeHeader('mvhd', 0, 5000) }), CUT_OFF],
    ['100,000 x 100,000, as far as its fields allow', mp4({ width: 65_535, height: 65_535 }), SIZE],
    ['a size of 0', mp4({ width: 0, height: 0 }), SIZE],
    ['10,000 tracks', mp4({ tracks: 10_000 }), TOO_MUCH],
    ['sound only', mp4({ handler: 'soun' }), NO_VIDEO],
    ['no tracks', mp4({ tracks: 0 }), NO_VIDEO],
    ['no samples', mp4({ stbl: NO_TABLES }), NO_PICTURES],
    ['encrypted pictures', mp4({ sampleEntry: 'encv' }), 'The video is copy-protected.'],
    ['a chunk behind the end of the file', withTables(...chunkAt(1_000_000)), CUT_OFF],
    [
      'a sample that ends behind the end of the file',
      mp4({ sampleSizes: [100, 4_000_000_000] }),
      CUT_OFF,
    ],
    [
      'tables that claim 2^32 entries',
      withTables(
        box('stsc', u32(0, 1, 1, 1, 1)),
        box('stsz', u32(0, 0, 0xffffffff)),
        box('stco', u32(0, 0xffffffff)),
      ),
      CUT_OFF,
    ],
    [
      '2^32 samples of which no chunk is known',
      withTables(
        box('stsc', u32(0, 1, 1, 1, 1)),
        box('stsz', u32(0, 1, 0xffffffff)),
        box('stco', u32(0, 1, 0)),
      ),
      CUT_OFF,
    ],
    ['fragments without a moov', Buffer.concat([ftyp(), moof([1000], 0), mdat()]), CUT_OFF],
    ['a moov for fragments without any', fragmented(), NO_PICTURES],
    [
      'a fragment whose media is missing',
      fragmented(moof([1000], 0), mdat(), moof([1000], 1000)),
      CUT_OFF,
    ],
    ['a fragment that is cut off', fragmented(moof([1000], 0), mdat()).subarray(0, -1), CUT_OFF],
    [
      'a fragment that claims 2^32 samples',
      fragmented(
        box('moof', box('traf', box('tfhd', u32(0, 1)), box('trun', u32(0x100, 0xffffffff, 1)))),
        mdat(),
      ),
      CUT_OFF,
    ],
    ['a moov without boxes', Buffer.concat([ftyp(), box('moov'), mdat()]), NO_VIDEO],
    [
      'an MP4 with something behind it',
      Buffer.concat([mp4(), Buffer.from('PK\x03\x04'.repeat(9))]),
      CUT_OFF,
    ],
  ])('%s is refused', async ([, file, refusal]) => {
    expect(await inspect(file)).toMatchObject({ refusal })
  })

  test.for(['M4A ', 'M4B ', '3gp4', '3g2a', 'avif', 'avis', 'heic', 'mif1', 'jp2 ', 'none'])(
    'the brand %s is refused',
    async (brand) => {
      expect((await inspect(mp4({ brand }))).refusal).toBe(NOT_A_VIDEO)
    },
  )

  test('a brand of which nothing is known is taken when it says that it is compatible with MP4', async () => {
    const file = mp4()
    const known = ftyp('CAEP', 'isom')
    const media = file.subarray(ftyp().length)
    const shifted = Buffer.concat([known, box('free', Buffer.alloc(200)), media])
    expect((await inspect(shifted)).result).toEqual(five)
  })
})

describe('WEBM', () => {
  const live = (...clusters: Buffer[]) =>
    webm({ duration: undefined, clusters, segmentSize: UNKNOWN })
  const inPixels = [uint(0x54b0, 100), uint(0x54ba, 50)]

  test.for<[string, Buffer, object]>([
    ['a plain WEBM', webm(), { ...five, mimeType: 'video/webm' }],
    [
      'live, sizes and duration unknown',
      live(cluster(0, [0, 50], UNKNOWN), cluster(3000, [0, 1400], UNKNOWN)),
      { durationSeconds: 4 },
    ],
    ['live, clusters with sizes', live(cluster(0), cluster(7000)), { durationSeconds: 7 }],
    [
      'a group of blocks counts as well',
      live(
        element(
          0x1f43b675,
          Buffer.concat([uint(0xe7, 2000), element(0xa0, element(0xa1, block(900)))]),
          UNKNOWN,
        ),
      ),
      { durationSeconds: 3 },
    ],
    ['a display size in pixels', webm({ videoExtra: inPixels }), { width: 100, height: 50 }],
    [
      'a display size that is only a ratio',
      webm({ videoExtra: [...inPixels, uint(0x54b2, 3)] }),
      { width: 640, height: 360 },
    ],
    [
      'a quarter turn swaps the sides',
      webm({ videoExtra: [element(0x7670, float(0x7675, -90))] }),
      { width: 360, height: 640 },
    ],
  ])('%s', async ([, file, facts]) => {
    expect((await inspect(file)).result).toMatchObject(facts)
  })

  test.for<[string, Buffer, string]>([
    ['a doctype of Matroska', webm({ docType: 'matroska' }), NOT_A_VIDEO],
    ['no doctype', Buffer.concat([element(0x1a45dfa3, Buffer.alloc(0)), webm()]), NOT_A_VIDEO],
    ['a header of unknown size', element(0x1a45dfa3, text(0x4282, 'webm'), UNKNOWN), NOT_A_VIDEO],
    ['sound only', webm({ trackType: 2 }), NO_VIDEO],
    ['10,000 tracks', webm({ tracks: 10_000 }), TOO_MUCH],
    [
      'a codec of MP4',
      webm({ codec: 'V_MPEG4/ISO/AVC' }),
      'A WEBM video must be encoded as VP8, VP9 or AV1.',
    ],
    [
      'encrypted pictures',
      webm({ trackExtra: [element(0x6d80, Buffer.alloc(0))] }),
      'The video is copy-protected.',
    ],
    ['100,000 x 100,000', webm({ width: 100_000, height: 100_000 }), SIZE],
    [
      'a duration of 0 and no time in its blocks',
      webm({ duration: 0, clusters: [cluster(0, [0])] }),
      DURATION,
    ],
    ['a duration of 2^63', webm({ duration: 2 ** 63 }), DURATION],
    [
      'a duration that is no number',
      webm({ duration: NaN, clusters: [cluster(0, [0])] }),
      DURATION,
    ],
    ['no clusters', webm({ clusters: [] }), NO_PICTURES],
    [
      'half of it missing',
      webm({ clusters: [cluster(0), cluster(100)] }).subarray(0, 300),
      CUT_OFF,
    ],
    [
      'a live recording that ends within a block',
      live(cluster(0, [0, 9], UNKNOWN)).subarray(0, -5),
      CUT_OFF,
    ],
    ['an element that is larger than all', webm({ clusters: [cluster(0, [0], 2 ** 47)] }), CUT_OFF],
    ['tracks of unknown size', live(element(0x1654ae6b, Buffer.alloc(9), UNKNOWN)), CUT_OFF],
    ['a segment within the segment', live(element(0x18538067, cluster(0))), CUT_OFF],
    ['two million empty elements', live(Buffer.alloc(4_000_000, Buffer.of(0xec, 0x80))), TOO_MUCH],
    [
      'a million elements in the tracks',
      webm({ trackExtra: [Buffer.alloc(2_000_000, Buffer.of(0xec, 0x80))] }),
      TOO_MUCH,
    ],
    ['an id of eight bytes', live(Buffer.alloc(20, 1)), CUT_OFF],
  ])('%s is refused', async ([, file, refusal]) => {
    expect(await inspect(file)).toMatchObject({ refusal })
  })
})

describe('other files', () => {
  const riff = (form: string) =>
    Buffer.concat([Buffer.from('RIFF'), u32(500), Buffer.from(form), Buffer.alloc(500)])
  test.for<[string, Buffer]>([
    [
      'an HLS playlist of a local file',
      Buffer.from('#EXTM3U\n#EXTINF:10,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n'),
    ],
    [
      'an HLS playlist of a metadata service',
      Buffer.from('#EXTM3U\n#EXTINF:1,\nhttp://169.254.169.254/latest/\n'),
    ],
    ['AVI', riff('AVI LIST')],
    [
      'AVI with a playlist as its subtitles',
      Buffer.concat([riff('AVI LIST'), Buffer.from('GAB2\0#EXTM3U\nfile:///x')]),
    ],
    [
      'ASF with an empty header, 55 bytes',
      Buffer.concat([Buffer.from('3026b2758e66cf11a6d900aa0062ce6c', 'hex'), Buffer.alloc(39)]),
    ],
    ['an image', Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(99)])],
    ['an empty file', Buffer.alloc(0)],
    ['eight bytes', Buffer.from('0000ftyp')],
  ])('%s is refused', async ([, file]) => {
    expect((await inspect(file)).refusal).toBe(NOT_A_VIDEO)
  })
})

describe('whatever bytes are wrong', () => {
  const files = {
    MP4: mp4(),
    'fragmented MP4': fragmented(moof([1000, 1000], 0), mdat(), moof([1000]), mdat()),
    WEBM: webm({ clusters: [cluster(0), cluster(1000)] }),
    'WEBM of a live recorder': webm({
      duration: undefined,
      segmentSize: UNKNOWN,
      clusters: [cluster(0, [0, 9], UNKNOWN)],
    }),
  }

  test.for(Object.entries(files))(
    '%s: it ends as facts or a sentence, after few reads',
    async ([, file]) => {
      const change = fc.tuple(fc.nat(file.length - 1), fc.nat(255))
      await fc.assert(
        fc.asyncProperty(
          fc.array(change, { maxLength: 6 }),
          fc.nat(file.length),
          async (changes, length) => {
            const damaged = Buffer.from(file)
            for (const [position, byte] of changes) damaged.writeUInt8(byte, position)
            const isCut = length % 3 === 0
            const outcome = await inspect(isCut ? damaged.subarray(0, length) : damaged)
            expect(outcome.result ?? outcome.refusal).toBeDefined()
            expect(outcome.reads).toBeLessThanOrEqual(2)
            expect(outcome.bytes).toBeLessThanOrEqual(2 * file.length)
          },
        ),
        { numRuns: 400 },
      )
    },
  )

  test('a large file is walked without reading its media', async () => {
    const head = Buffer.concat([ftyp(), boxOfSize(64 * 1024 * 1024, 'mdat')])
    const media = Buffer.alloc(64 * 1024 * 1024 - 8)
    const { result, bytes } = await inspect(Buffer.concat([head, media, moov({ chunkStart: 99 })]))
    expect(result).toEqual(five)
    expect(bytes).toBeLessThan(256 * 1024)
  })
})
