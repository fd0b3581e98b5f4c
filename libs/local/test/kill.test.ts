import { expect, test } from 'vitest'
import { startCluster, REPLICATED_SERVICES } from '../src/cluster/cluster.ts'
import { startLoad } from '../src/cluster/steady-load.ts'
import { expectNoneLostOrDoubled, expectWholeStreams, moreAnswers } from './cluster-outcome.ts'
import { clusterServers, whyNot } from './cluster-servers.ts'

test.skipIf(whyNot !== '')(
  `every service is killed under load and started again: all of it serves, and no post is lost or doubled${whyNot}`,
  async () => {
    await using made = await clusterServers()
    await using cluster = await startCluster(made.options)
    const { apiUrl, demo } = cluster
    const channelIds = demo.channels.map(({ id }) => id)
    const options = { apiUrl, apiKey: demo.apiKey, channelIds }
    const load = await startLoad({ ...options, perSecond: 5 })
    for (const name of REPLICATED_SERVICES) {
      await cluster.killOldest(name)
      await cluster.add(name)
      await moreAnswers(load)
    }
    const { answers, postIds } = await load.stop()
    expect(answers.some(({ isAsWanted }) => !isAsWanted)).toBe(true)

    const after = await startLoad({ ...options, perSecond: 5 })
    await moreAnswers(after)
    const healed = await after.stop()
    expect(healed.failures).toEqual([])
    await expectNoneLostOrDoubled(cluster, [...postIds, ...healed.postIds])
    await expectWholeStreams(made.ownerUrls)
  },
  420_000,
)
