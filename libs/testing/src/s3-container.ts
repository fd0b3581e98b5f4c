import { startContainer } from './container.ts'

const HEALTH = '/health'

/** Starts versitygw in a container, on objects in memory, and answers its address. */
export async function startS3Container(
  access: { region: string; accessKey: string; secretKey: string },
  env: NodeJS.ProcessEnv = process.env,
): Promise<AsyncDisposable & { image: string; endpoint: string }> {
  const image = env['HERALD_TEST_S3_IMAGE'] || 'versity/versitygw:v1.8.0'
  const { region, accessKey, secretKey } = access
  const settings = { port: ':7070', region, access: accessKey, secret: secretKey, health: HEALTH }
  const flags = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value])
  const backend = ['posix', '--sidecar', '/metadata', '/objects']
  const server = await startContainer({
    image,
    inner: 7070,
    prepare: (container) =>
      container
        .withCommand(['--quiet', ...flags, ...backend])
        .withTmpFs({ '/objects': 'rw', '/metadata': 'rw' }),
    isReady: async (port) => {
      const options = { signal: AbortSignal.timeout(2_000) }
      const answer = await fetch(`http://127.0.0.1:${port}${HEALTH}`, options).catch(
        () => undefined,
      )
      await answer?.body?.cancel()
      return answer?.ok === true
    },
  })
  return {
    image,
    endpoint: `http://127.0.0.1:${server.port}`,
    [Symbol.asyncDispose]: server[Symbol.asyncDispose],
  }
}
