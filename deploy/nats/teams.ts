import { BUS_USERS } from '@herald/contracts/bus-users'
import { CONSUMERS, type DurableConsumer } from '@herald/contracts/consumers'
import { EVENTS_STREAM } from '@herald/contracts/events'
import { z } from 'zod'

/** Users that Herald has besides those of its services. */
const RESERVED = ['provision', 'admin', 'sys', ...BUS_USERS.map(({ name }) => name)]
const DURABLES: string[] = Object.values(CONSUMERS).map(({ durable }) => durable)
const Name = z.string().regex(/^[a-z][a-z0-9-]*$/, 'is small letters, digits and dashes')

/** Another team that reads events: one user and one durable consumer. */
const Team = z.strictObject({
  name: Name.refine((name) => !RESERVED.includes(name), 'is a user of Herald'),
  durable: Name.refine((durable) => !DURABLES.includes(durable), 'is a consumer of Herald'),
  filterSubject: z
    .string()
    .regex(/^herald\.events\.v1(\.[\w*-]+)*(\.>)?$/, 'is a subject of events'),
  ackWaitSeconds: z.number().min(1).default(30),
  /** How many messages it may have in work; with 1 a later event never overtakes one that comes again. */
  maxAckPending: z.int().min(1).default(1),
})
export type Team = z.infer<typeof Team>

const Teams = z.array(Team).superRefine((teams, context) => {
  for (const key of ['name', 'durable'] as const)
    if (new Set(teams.map((team) => team[key])).size < teams.length)
      context.addIssue({ code: 'custom', message: `Two teams have the same ${key}.` })
})

/** Reads teams from a JSON list; there are none in an empty text. Throws with what is wrong. */
export function readTeams(json: string): Team[] {
  if (json === '') return []
  const parsed = Teams.safeParse(toValue(json))
  if (parsed.success) return parsed.data
  throw new Error(`The teams are not valid:\n${z.prettifyError(parsed.error)}`)
}

function toValue(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

/** The durable consumer of a team. */
export function consumerOf(team: Team): DurableConsumer {
  const { durable, filterSubject, ackWaitSeconds, maxAckPending } = team
  return {
    stream: EVENTS_STREAM,
    durable,
    filterSubject,
    concurrency: maxAckPending,
    ackWaitMs: ackWaitSeconds * 1e3,
    maxAckPending,
  }
}
