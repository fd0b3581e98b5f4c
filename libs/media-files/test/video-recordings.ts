import {
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedPacket,
  EncodedVideoPacketSource,
  Output,
  type OutputFormat,
} from 'mediabunny'

export type Recording = {
  format: OutputFormat
  codec: 'vp9' | 'av1'
  seconds: number
  width?: number
  height?: number
  rotation?: 0 | 90 | 180 | 270
  withSound?: boolean
}

const PICTURES_PER_SECOND = 10

/** A file as a real muxer writes it, of packets that nobody could decode. */
export async function record({
  format,
  codec,
  seconds,
  width = 640,
  height = 360,
  rotation = 0,
  withSound = true,
}: Recording): Promise<Buffer> {
  const target = new BufferTarget()
  const output = new Output({ format, target })
  const video = new EncodedVideoPacketSource(codec)
  const sound = new EncodedAudioPacketSource('opus')
  output.addVideoTrack(video, { rotation })
  if (withSound) output.addAudioTrack(sound)
  await output.start()
  const decoderConfig = {
    codec: codec === 'vp9' ? 'vp09.00.10.08' : 'av01.0.04M.08',
    codedWidth: width,
    codedHeight: height,
    colorSpace: { primaries: 'bt709', transfer: 'bt709', matrix: 'bt709', fullRange: false },
  } as const
  const soundConfig = { codec: 'opus', numberOfChannels: 2, sampleRate: 48_000 }
  for (let index = 0; index < seconds * PICTURES_PER_SECOND; index++) {
    const type = index % PICTURES_PER_SECOND === 0 ? 'key' : 'delta'
    const at = index / PICTURES_PER_SECOND
    const packet = new EncodedPacket(
      new Uint8Array(200).fill(index),
      type,
      at,
      1 / PICTURES_PER_SECOND,
    )
    await video.add(packet, { decoderConfig })
    const soundPacket = new EncodedPacket(new Uint8Array(20), 'key', at, 1 / PICTURES_PER_SECOND)
    if (withSound) await sound.add(soundPacket, { decoderConfig: soundConfig })
  }
  await output.finalize()
  return Buffer.from(target.buffer ?? new ArrayBuffer(0))
}
