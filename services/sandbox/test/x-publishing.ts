import type { PublishFile, PublishInput } from '@herald/platforms/platform'
import { platformSettings } from '@herald/platforms/settings'
import { xConnector as x } from '@herald/platforms/x/connector'
import { aPublishInput } from './publish-file.ts'
import type { TestSandbox } from './sandbox.ts'
import { xUser } from './x.ts'

/** An account with what the connector is given of it. */
export async function arrange(sandbox: TestSandbox, media: PublishFile[] = []) {
  const user = await xUser(sandbox, 'ada')
  const { account, token } = user
  const settings = platformSettings(await sandbox.settings('X')).of('X')
  return { user, settings, input: aPublishInput({ baseUrl: '', settings, token, account, media }) }
}

/** What Herald does of a post that goes well; the sandbox's time goes on with each step. */
export async function publish(
  sandbox: TestSandbox,
  input: PublishInput,
  step: Record<string, unknown> = {},
) {
  const onStep = async () => void (await sandbox.advance(2))
  const prepared = await x.prepare({ ...input, step, onStep })
  if (prepared.outcome !== 'ready') return prepared
  return await x.commit({ ...input, step: prepared.step })
}
