import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { prepareDatabases } from '@herald/local/databases'
import { type Cluster, type ClusterOptions, startCluster } from '@herald/local/cluster/cluster'
import { startNats } from '@herald/local/nats'
import { startVersitygw } from '@herald/local/versitygw'
import { ensureVersitygw } from '@herald/local/versitygw-program'
import { temporaryPostgres } from './temporary-postgres.ts'

const ACCESS = { accessKey: 'herald-bench', secretKey: 'herald-bench-secret', region: 'us-east-1' }

/** Herald as processes on a Postgres that syncs to disk, a NATS and an S3 server, all of which go away with it. */
export async function benchCluster(
  options: Pick<ClusterOptions, 'replicas' | 'env'> = {},
): Promise<Cluster> {
  await using stack = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'herald-bench-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const postgres = stack.use(await temporaryPostgres())
  const nats = await startNats({ dataDir: join(folder, 'nats') })
  stack.defer(() => nats.stop())
  const binary = await ensureVersitygw({ log: console.error })
  const s3 = await startVersitygw({ dataDir: join(folder, 's3'), binary, ...ACCESS })
  stack.defer(() => s3.stop())
  const cluster = stack.use(
    await startCluster({
      ...options,
      databaseUrls: await prepareDatabases(postgres.url, 'herald-bench'),
      natsUrl: nats.url,
      folder,
      env: {
        STORAGE: 's3',
        S3_ENDPOINT: s3.url,
        S3_ACCESS_KEY: ACCESS.accessKey,
        S3_SECRET_KEY: ACCESS.secretKey,
        SANDBOX_RATE_LIMITS: 'off',
        // Three processes of each service stay below the 100 connections of Postgres.
        DATABASE_CONNECTIONS: '5',
        ...options.env,
      },
    }),
  )
  const moved = stack.move()
  return { ...cluster, [Symbol.asyncDispose]: () => moved.disposeAsync() }
}
