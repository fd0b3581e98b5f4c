import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { newId } from '@herald/contracts/ids'
import { MAX_FILE_BYTES, type MediaUpload } from '@herald/contracts/media'
import { mediaProcess } from './media-process.ts'
import { photo, videoFile } from './media-samples.ts'
import { percentiles } from './measure.ts'

/**
 * The media service in a process of its own, files on disk: the memory that a video of 200 MB takes, its PUT against
 * `cp` of the same file, and imports and completes of a photo of 2 MB.
 */
const MEGABYTE = 1024 * 1024
const ROUNDS = 3
const PHOTOS = 60
const WORKERS = 4

await using service = await mediaProcess()
const { media, folder } = service
const caller = { organizationId: newId('organization'), channels: 'all', actor: 'bench' } as const
const megabytes = (bytes: number) => (bytes / MEGABYTE).toFixed(0)

const video = await videoFile(folder, MAX_FILE_BYTES.video)
await measureMemory()
await measurePut()
const jpeg = await photo(folder, 2 * MEGABYTE)
console.log(
  `photo: a JPEG of ${(jpeg.length / MEGABYTE).toFixed(2)} MB, ${WORKERS} calls at a time`,
)
await measureCompletes()
await measureImports()

/** The first thing that the process does, so that its peak is that of this. */
async function measureMemory(): Promise<void> {
  const before = await service.peakMemory()
  const announced = await announce('video/mp4', MAX_FILE_BYTES.video)
  await putFile(announced, video)
  const afterPut = await service.peakMemory()
  const started = performance.now()
  const { id } = await media.complete({ caller, mediaId: announced.media.id })
  const seconds = (performance.now() - started) / 1000
  const after = await service.peakMemory()
  console.log(
    `memory of the service, peak: ${megabytes(before)} MB at rest, ${megabytes(afterPut)} MB after a PUT of 200 MB, ` +
      `${megabytes(after)} MB after its complete (${seconds.toFixed(1)} s)`,
  )
  await media.remove({ caller, mediaId: id })
}

async function measurePut(): Promise<void> {
  const [puts, copies]: [number[], number[]] = [[], []]
  for (let round = 0; round < ROUNDS; round++) {
    const announced = await announce('video/mp4', MAX_FILE_BYTES.video)
    puts.push(await seconds(() => putFile(announced, video)))
    await media.remove({ caller, mediaId: announced.media.id })
    const copy = join(folder, 'copy')
    // A PUT is answered when the bytes are on disk, so the copy has to get there, too.
    const copyAndSync = async () => {
      execFileSync('cp', [video, copy])
      execFileSync('sync', [copy])
    }
    copies.push(await seconds(copyAndSync))
    await rm(copy)
  }
  const rate = (times: number[]) => 200 / percentiles(times).p50
  console.log(`PUT of 200 MB              ${rate(puts).toFixed(0).padStart(6)} MB/s`)
  console.log(`cp and sync of the same    ${rate(copies).toFixed(0).padStart(6)} MB/s`)
  console.log(`ratio ${(rate(puts) / rate(copies)).toFixed(2)}`)
}

async function measureCompletes(): Promise<void> {
  const pending: MediaUpload[] = []
  for (let count = 0; count < PHOTOS; count++) {
    const announced = await announce('image/jpeg', jpeg.length)
    await fetch(announced.upload.url, { ...announced.upload, body: new Uint8Array(jpeg) })
    pending.push(announced)
  }
  await many('complete of a photo', async () => {
    const next = pending.pop()
    if (next) await media.complete({ caller, mediaId: next.media.id })
  })
}

async function measureImports(): Promise<void> {
  const origin = createServer((_request, response) => void response.end(jpeg)).listen(
    0,
    '127.0.0.1',
  )
  await once(origin, 'listening')
  const address = origin.address()
  const port = typeof address === 'object' ? address?.port : 0
  const url = `http://127.0.0.1:${port}/photo.jpg`
  await many('import of a photo', () => media.import({ caller, body: { url } }))
  origin.close()
}

async function many(name: string, work: () => Promise<unknown>): Promise<void> {
  const latencies: number[] = []
  let left = PHOTOS
  const took = await seconds(async () => {
    const worker = async () => {
      while (left-- > 0) latencies.push((await seconds(work)) * 1000)
    }
    await Promise.all(Array.from({ length: WORKERS }, worker))
  })
  const { p50, p99 } = percentiles(latencies)
  const rate = (PHOTOS / took).toFixed(1)
  console.log(
    `${name.padEnd(26)} ${rate.padStart(6)}/s   p50 ${p50.toFixed(0)} ms   p99 ${p99.toFixed(0)} ms`,
  )
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return (performance.now() - started) / 1000
}

function announce(mimeType: 'video/mp4' | 'image/jpeg', fileSize: number): Promise<MediaUpload> {
  return media.createUpload({ caller, body: { fileName: 'bench', mimeType, fileSize } })
}

/** Sends a file as the upload instruction says, without holding it in memory. */
async function putFile({ upload }: MediaUpload, path: string): Promise<void> {
  const { size } = await stat(path)
  const headers = { ...upload.headers, 'content-length': size }
  const sent = request(upload.url, { method: upload.method, headers })
  const [[response]] = await Promise.all([
    once(sent, 'response'),
    pipeline(createReadStream(path, { highWaterMark: MEGABYTE }), sent),
  ])
  response.resume()
  if (response.statusCode !== 200) throw new Error(`PUT answered ${response.statusCode}.`)
}
