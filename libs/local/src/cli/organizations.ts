import { Plan } from '@herald/contracts/accounts'
import { type Command, table, UsageError } from './command.ts'

const PLANS = Plan.options.join(', ')
const PLAN_OPTION = { value: 'PLAN', help: `One of ${PLANS}.`, required: true, check: planOf }

/** `org create`, `org list`, `org set-plan`. */
export const ORGANIZATION_COMMANDS: Command[] = [
  {
    name: 'org create',
    help: 'Make an organization.',
    options: {
      name: { value: 'NAME', help: 'Its name.', required: true },
      plan: PLAN_OPTION,
    },
    async run({ accounts }, { options: { name = '', plan } }) {
      const made = await accounts.createOrganization({ name, plan: planOf(plan) })
      return { json: made, lines: [`Made ${made.id} (${made.name}, ${made.plan}).`] }
    },
  },
  {
    name: 'org list',
    help: 'List the organizations.',
    options: {},
    async run({ accounts }) {
      const { data } = await accounts.listOrganizations({})
      return { json: { data }, lines: table(data.map(({ id, plan, name }) => [id, plan, name])) }
    },
  },
  {
    name: 'org set-plan',
    help: 'Put an organization on another plan.',
    argument: { value: 'ORG', option: 'org', help: 'The id of the organization.' },
    options: { plan: PLAN_OPTION },
    async run({ accounts }, { argument, options }) {
      const changed = await accounts.setPlan({
        organizationId: argument,
        plan: planOf(options.plan),
      })
      return { json: changed, lines: [`${changed.id} is on ${changed.plan} now.`] }
    },
  },
]

function planOf(text: string | undefined): Plan {
  const parsed = Plan.safeParse(text)
  if (parsed.success) return parsed.data
  throw new UsageError(`--plan must be one of ${PLANS}.`)
}
