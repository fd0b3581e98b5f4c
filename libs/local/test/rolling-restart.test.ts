import { expect, test } from 'vitest'
import { startCluster, REPLICATED_SERVICES } from '../src/cluster/cluster.ts'
import { startLoad } from '../src/cluster/steady-load.ts'
import { expectPublishedOnce, expectWholeStreams, moreAnswers } from './cluster-outcome.ts'
import { clusterServers, whyNot } from './cluster-servers.ts'

test.skipIf(whyNot !== '')(
  `every service is replaced while requests come, and no client and no post notices${whyNot}`,
  async () => {
    await using made = await clusterServers()
    await using cluster = await startCluster(made.options)
    const { apiUrl, demo } = cluster
    const channelIds = demo.channels.map(({ id }) => id)
    const load = await startLoad({ apiUrl, apiKey: demo.apiKey, channelIds, perSecond: 5 })
    const replaced = REPLICATED_SERVICES.filter((name) => name !== 'media' || made.isStorageShared)
    for (const name of replaced) {
      await cluster.add(name)
      expect({ name, code: await cluster.stopOldest(name) }).toEqual({ name, code: 0 })
    }
    await moreAnswers(load)
    const { answers, failures, postIds } = await load.stop()
    expect(failures).toEqual([])
    expect(new Set(answers.map(({ name }) => name)).size).toBe(7)
    await expectPublishedOnce(cluster, postIds)
    await expectWholeStreams(made.ownerUrls)
  },
  600_000,
)
