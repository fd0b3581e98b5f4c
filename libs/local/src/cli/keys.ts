import { type ManagedKey, Scope } from '@herald/contracts/accounts'
import { type Command, listOf, table, UsageError } from './command.ts'

/** `key create`, `key list`, `key revoke`. */
export const KEY_COMMANDS: Command[] = [
  {
    name: 'key create',
    help: 'Make an API key. It is printed once and never shown again.',
    options: {
      org: { value: 'ORG', help: 'The organization it belongs to.', required: true },
      name: { value: 'NAME', help: 'A name to know it by.', required: true },
      scopes: {
        value: 'A,B',
        help: `Any of ${Scope.options.join(', ')}.`,
        required: true,
        check: scopesOf,
      },
      channels: { value: 'A,B', help: 'The only channels it sees; all without it.' },
      'expires-at': { value: 'T', help: 'When it expires, ISO 8601 with an offset.' },
    },
    async run({ accounts }, { options }) {
      const made = await accounts.createKey({
        organizationId: options.org ?? '',
        name: options.name ?? '',
        scopes: scopesOf(options.scopes),
        channels: listOf(options.channels) ?? 'all',
        expiresAt: options['expires-at'] ?? null,
      })
      return {
        json: made,
        lines: [`Made ${made.id}. Keep this key; it is not shown again:`, made.secret],
      }
    },
  },
  {
    name: 'key list',
    help: 'List keys, without the keys themselves.',
    options: { org: { value: 'ORG', help: 'Only those of one organization.' } },
    async run({ accounts }, { options }) {
      const { data } = await accounts.listKeys({ organizationId: options.org })
      return { json: { data }, lines: table(data.map(row)) }
    },
  },
  {
    name: 'key revoke',
    help: 'Revoke a key. It is refused everywhere within 5 seconds.',
    argument: { value: 'KEY', option: 'key', help: 'The id of the key.' },
    options: {},
    async run({ accounts }, { argument }) {
      const revoked = await accounts.revokeKey({ keyId: argument })
      return { json: revoked, lines: [`Revoked ${revoked.id}.`] }
    },
  },
]

function scopesOf(text: string | undefined): Scope[] {
  const parsed = Scope.array().min(1).safeParse(listOf(text))
  if (parsed.success) return parsed.data
  throw new UsageError(`--scopes takes any of ${Scope.options.join(', ')}.`)
}

function row(key: ManagedKey): string[] {
  const state = key.revokedAt ? 'revoked' : key.expiresAt ? `until ${key.expiresAt}` : 'live'
  const use = key.lastUsedAt ? `used ${key.lastUsedAt}` : 'never used'
  const { id, organizationId, prefix, scopes, name, pepperVersion } = key
  const hash = `pepper ${pepperVersion}`
  return [id, organizationId, `${prefix}…`, scopes.join(','), state, use, hash, name]
}
