import { BUS_USERS } from '@herald/contracts/bus-users'
import { CONSUMERS } from '@herald/contracts/consumers'
import {
  type Permissions,
  permissionsOf,
  permissionsOfTeam,
  permissionsToProvision,
} from './permissions.ts'
import { consumerOf, type Team } from './teams.ts'

export type AccountsOptions = {
  teams: readonly Team[]
  /** Users that are to have a second one of the same rights, while a password is changed. */
  second: readonly string[]
  /** The file with the passwords, beside this one; without it they are variables of the environment. */
  passwords?: string | undefined
}

/** A user of the account; without permissions it may do everything in it. */
type User = { name: string; permissions?: Permissions }

const HEAD = [
  '# Who may do what on NATS, for nats-server 2.9 and later. Written by `node deploy/nats/write-config.ts`; include it.',
  '# Passwords, plain or as bcrypt, are variables: of the environment, or of a file with `--passwords`.',
  '',
]

/** The accounts of a nats-server: Herald's users with what each may do, and the one of the system. */
export function accountsConfig(options: AccountsOptions): string {
  return [
    ...HEAD,
    ...(options.passwords ? [`include ${JSON.stringify(options.passwords)}`] : []),
    'system_account: SYS',
    'accounts {',
    '  SYS { users: [{ user: sys, password: $NATS_SYS_PASSWORD }] }',
    '  HERALD {',
    '    jetstream: enabled',
    '    users: [',
    ...usersOf(options).flatMap(userLines),
    '    ]',
    '  }',
    '}',
    '',
  ].join('\n')
}

/** Every user, and the variable of its password. */
export function passwordVariables(options: AccountsOptions): Map<string, string> {
  const names = ['sys', ...usersOf(options).map(({ name }) => name)]
  return new Map(names.map((name) => [name, passwordVariable(name)]))
}

function usersOf({ teams, second }: AccountsOptions): User[] {
  const consumers = [...Object.values(CONSUMERS), ...teams.map(consumerOf)]
  const users: User[] = [
    ...BUS_USERS.map((user) => ({ name: user.name, permissions: permissionsOf(user) })),
    { name: 'provision', permissions: permissionsToProvision(consumers) },
    { name: 'admin' },
    ...teams.map((team) => ({ name: team.name, permissions: permissionsOfTeam(team) })),
  ]
  const unknown = second.find((name) => !users.some((user) => user.name === name))
  if (unknown !== undefined) throw new Error(`There is no user ${unknown}.`)
  return users.flatMap((user) =>
    second.includes(user.name) ? [user, { ...user, name: `${user.name}-2` }] : [user],
  )
}

function passwordVariable(name: string): string {
  return `NATS_${name.replaceAll('-', '_').toUpperCase()}_PASSWORD`
}

function userLines({ name, permissions }: User): string[] {
  const head = `user: ${name}, password: $${passwordVariable(name)}`
  if (!permissions) return [`      { ${head} }`]
  const { publish, subscribe, answerSeconds } = permissions
  return [
    `      { ${head}, permissions {`,
    ...listLines('publish', publish),
    ...listLines('subscribe', subscribe),
    ...(answerSeconds === undefined
      ? []
      : [`        allow_responses { max: 1, expires: "${answerSeconds}s" }`]),
    '      } }',
  ]
}

/** JSON strings are valid in nats-server's configuration. */
function listLines(kind: string, subjects: string[]): string[] {
  // An empty list would allow everything.
  if (subjects.length === 0) throw new Error('A user needs something to do.')
  return [
    `        ${kind} { allow: [`,
    ...subjects.map((subject) => `          ${JSON.stringify(subject)}`),
    '        ] }',
  ]
}
