import { FileUnfit, type HostedImage, type ImageLimits, type PublishFile } from '../platform.ts'

const LIMITS: ImageLimits = {
  mimeTypes: ['image/jpeg', 'image/png', 'image/webp'],
  maxBytes: 20_000_000,
}

/**
 * Where Pinterest fetches the pictures of a pin. Those of a carousel must be of one size: when one had to be made smaller
 * than the others, all are made as small. Rejects as `PublishFile.imageUrl` does.
 */
export async function hostImages(files: readonly PublishFile[]): Promise<string[]> {
  const [single] = files
  if (single?.type === 'gif') return [single.url]
  const hosted = await hostAll(files, LIMITS)
  if (isOneSize(hosted)) return hosted.map(({ url }) => url)
  const smaller = await hostAll(files, {
    ...LIMITS,
    maxWidth: Math.min(...hosted.map(({ width }) => width)),
    maxHeight: Math.min(...hosted.map(({ height }) => height)),
  })
  if (!isOneSize(smaller))
    throw new FileUnfit('Several images of a pin must be of one size, and these are not.')
  return smaller.map(({ url }) => url)
}

async function hostAll(files: readonly PublishFile[], limits: ImageLimits): Promise<HostedImage[]> {
  const hosted: HostedImage[] = []
  for (const file of files) hosted.push(await file.imageUrl(limits))
  return hosted
}

function isOneSize([first, ...others]: HostedImage[]): boolean {
  return others.every(({ width, height }) => width === first?.width && height === first.height)
}
