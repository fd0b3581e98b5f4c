import { type Command, type Context, table } from './command.ts'

const SERVICES = ['accounts', 'channels', 'media', 'posts'] as const

/** `projections check`, `projections rebuild`. */
export const PROJECTION_COMMANDS: Command[] = [
  {
    name: 'projections check',
    help: 'Fold every stream and compare it with the read models. Exit code 1 when one differs.',
    options: {},
    async run(context) {
      const data = await forEachService(context, async (client) => client.checkProjections({}))
      const lines = table(
        data.map(({ service, streams, mismatches }) => [
          service,
          `${streams} streams`,
          `${mismatches.length} mismatches`,
          mismatches.slice(0, 5).join(' '),
        ]),
      )
      return {
        json: { data },
        lines,
        exitCode: data.some(({ mismatches }) => mismatches.length > 0) ? 1 : 0,
      }
    },
  },
  {
    name: 'projections rebuild',
    help: 'Build the read models anew from the events while everything goes on.',
    options: {},
    async run(context) {
      const data = await forEachService(context, async (client) => client.rebuildProjections({}))
      return {
        json: { data },
        lines: table(data.map(({ service, streams }) => [service, `${streams} streams rebuilt`])),
      }
    },
  },
]

type ProjectionClient = Pick<Context['posts'], 'checkProjections' | 'rebuildProjections'>

async function forEachService<Answer extends object>(
  context: Context,
  ask: (client: ProjectionClient) => Promise<Answer>,
): Promise<(Answer & { service: string })[]> {
  const answers = []
  for (const service of SERVICES) answers.push({ service, ...(await ask(context[service])) })
  return answers
}
