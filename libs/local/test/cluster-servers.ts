import { testDatabase } from '@herald/testing/database'
import { testNats } from '@herald/testing/nats'
import { testS3 } from '@herald/testing/s3'
import { temporaryFolder } from '@herald/testing/temporary-folder'
import type { ClusterOptions } from '../src/cluster/cluster.ts'
import type { DatabaseUrls } from '../src/databases.ts'
import { DATABASE_OWNERS, migrateOwn } from '../src/services.ts'

export type ClusterServers = AsyncDisposable & {
  options: ClusterOptions
  /** The databases, for the test itself. */
  ownerUrls: DatabaseUrls
  /** Whether the media service may have several processes. */
  isStorageShared: boolean
}

/**
 * Why tests of a whole cluster do not run, as the end of a title; nothing with `HERALD_CLUSTER_TESTS=1`. They need a machine
 * to themselves, because calls between processes that get no CPU pass their deadlines, which no restart is to blame for.
 */
export const whyNot =
  process.env['HERALD_CLUSTER_TESTS'] === '1'
    ? ''
    : ' (skipped: needs a machine to itself and HERALD_CLUSTER_TESTS=1)'

/** Databases, NATS and, where there is a server for it, S3 for one cluster of a test. */
export async function clusterServers(): Promise<ClusterServers> {
  await using stack = new AsyncDisposableStack()
  const nats = stack.use(await testNats())
  const folder = stack.use(temporaryFolder())
  const s3 = await testS3()
  if (typeof s3 !== 'string') stack.use(s3)
  const urls: Partial<DatabaseUrls> = {}
  const ownerUrls: Partial<DatabaseUrls> = {}
  for (const name of DATABASE_OWNERS) {
    const database = stack.use(await testDatabase(name, (url) => migrateOwn(name, url)))
    urls[name] = database.url
    ownerUrls[name] = database.ownerUrl
  }
  const storage =
    typeof s3 === 'string'
      ? {}
      : {
          STORAGE: 's3',
          S3_ENDPOINT: s3.endpoint,
          S3_REGION: s3.region,
          S3_BUCKET: s3.bucket,
          S3_ACCESS_KEY: s3.accessKey,
          S3_SECRET_KEY: s3.secretKey,
        }
  const moved = stack.move()
  return {
    options: {
      databaseUrls: urls as DatabaseUrls,
      natsUrl: nats.url,
      folder: folder.path,
      env: { ...QUICK, ...storage },
    },
    ownerUrls: ownerUrls as DatabaseUrls,
    isStorageShared: typeof s3 !== 'string',
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  }
}

/** What takes minutes in production takes seconds here. */
const QUICK = {
  RECONCILE_SECONDS: '0.3,0.8,1.5',
  COMMIT_TIMEOUT_SECONDS: '10',
  LEASE_SECONDS: '15',
  BACKOFF_SECONDS: '0.5',
  LOG_LEVEL: process.env.HERALD_TEST_LOG ?? 'silent',
}
