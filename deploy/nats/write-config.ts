import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { accountsConfig, passwordVariables } from './accounts.ts'
import { readTeams } from './teams.ts'

/**
 * Writes who may do what on NATS, for a nats-server to include:
 *   node deploy/nats/write-config.ts [--teams teams.json] [--passwords passwords.conf] [--second posts]... [--output accounts.conf]
 * `--passwords` is a file beside it with a line for each password, `NATS_POSTS_PASSWORD: "…"`: a server that is told to
 * reload reads it again, which it cannot do with its environment. `--second` gives a user a second one of the same rights, while its password is changed.
 */
const { values } = parseArgs({
  options: {
    teams: { type: 'string' },
    passwords: { type: 'string' },
    second: { type: 'string', multiple: true, default: [] },
    output: {
      type: 'string',
      default: fileURLToPath(new URL('accounts.conf', import.meta.url)),
    },
  },
})
const options = {
  teams: readTeams(values.teams ? readFileSync(values.teams, 'utf8') : ''),
  passwords: values.passwords,
  second: values.second,
}
writeFileSync(values.output, accountsConfig(options))
const variables = [...passwordVariables(options).values()]
process.stdout.write(`${values.output} is written. It needs ${variables.join(', ')}.\n`)
