import { startVersitygw } from '@herald/local/versitygw'
import { ensureVersitygw } from '@herald/local/versitygw-program'
import { usesContainers } from './infrastructure.ts'
import { fastFolder, temporaryFolder } from './temporary-folder.ts'

/** An S3 server for tests, and how to speak to it. The bucket may not exist yet. */
export type TestS3 = AsyncDisposable & {
  /** What it is, for a person. */
  name: string
  endpoint: string
  region: string
  bucket: string
  accessKey: string
  secretKey: string
}

/**
 * Starts an S3 server of its own, in an empty folder; disposing stops it and removes its data. With `S3_ENDPOINT` in
 * the environment (and `S3_ACCESS_KEY`, `S3_SECRET_KEY`, `S3_REGION`, `S3_BUCKET`) it is the server there, whose bucket
 * other tests may use as well. Answers the reason when there is no server to be had. The first call on a machine may
 * build the server, which takes minutes, so make it where no test's time is counted: at the top of a file.
 */
export async function testS3(env: NodeJS.ProcessEnv = process.env): Promise<TestS3 | string> {
  const { S3_ENDPOINT: endpoint = '', S3_BUCKET: bucket = 'herald-test' } = env
  const region = env['S3_REGION'] || 'us-east-1'
  const accessKey = env['S3_ACCESS_KEY'] ?? 'herald-test'
  const secretKey = env['S3_SECRET_KEY'] ?? 'herald-test-secret'
  const access = { region, bucket, accessKey, secretKey }
  if (endpoint !== '') {
    return { name: endpoint, endpoint, ...access, [Symbol.asyncDispose]: () => Promise.resolve() }
  }
  if (usesContainers(env)) {
    const server = await (await import('./s3-container.ts')).startS3Container(access, env)
    return { name: server.image, ...access, ...server }
  }
  const binary = await findProgram(env)
  if ('reason' in binary) return binary.reason
  const folder = temporaryFolder(fastFolder())
  const server = await startVersitygw({ dataDir: folder.path, binary: binary.path, ...access })
  return {
    name: `versitygw (${binary.path})`,
    endpoint: server.url,
    ...access,
    async [Symbol.asyncDispose]() {
      await server.stop()
      folder[Symbol.dispose]()
    },
  }
}

async function findProgram(env: NodeJS.ProcessEnv): Promise<{ path: string } | { reason: string }> {
  try {
    const log = (line: string) => void process.stderr.write(`${line}\n`)
    return { path: await ensureVersitygw({ env, log }) }
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) }
  }
}
