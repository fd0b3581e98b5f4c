// Makes up the secrets of a Herald in containers and writes them to `.env` beside docker-compose.yml:
//   node deploy/docker/make-env.mjs [--sandbox]
// A file that is there stays as it is: another pepper or key would make what is in the databases worthless.
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const path = process.env.HERALD_ENV_FILE ?? fileURLToPath(new URL('../../.env', import.meta.url))
const key = () => randomBytes(32).toString('base64')
// Passwords stand in addresses.
const password = () => randomBytes(24).toString('base64url')

// nats-server reads them as its configuration does: what begins with a letter is a text.
const word = () => `p${password()}`
const NATS_USERS =
  'SYS ADMIN PROVISION HERALD GATEWAY ACCOUNTS QUOTA CHANNELS MEDIA POSTS PUBLISHER'.split(' ')

const settings = {
  RPC_SECRET: key(),
  API_KEY_PEPPER: key(),
  CREDENTIALS_KEY: key(),
  POSTGRES_PASSWORD: password(),
  ACCOUNTS_DATABASE_PASSWORD: password(),
  QUOTA_DATABASE_PASSWORD: password(),
  CHANNELS_DATABASE_PASSWORD: password(),
  MEDIA_DATABASE_PASSWORD: password(),
  POSTS_DATABASE_PASSWORD: password(),
  PUBLISHER_DATABASE_PASSWORD: password(),
  ...Object.fromEntries(NATS_USERS.map((user) => [`NATS_${user}_PASSWORD`, word()])),
  S3_ACCESS_KEY: randomBytes(10).toString('hex'),
  S3_SECRET_KEY: password(),
  GRAFANA_PASSWORD: password(),
}
// For trying things out: the stand-ins of the platforms are in a private network.
const sandbox = { COMPOSE_PROFILES: 'sandbox', ALLOW_PRIVATE_PLATFORM_URLS: 'true' }
const all = process.argv.includes('--sandbox') ? { ...settings, ...sandbox } : settings
const lines = Object.entries(all).map(([name, value]) => `${name}=${value}\n`)
try {
  writeFileSync(path, lines.join(''), { mode: 0o600, flag: 'wx' })
  process.stdout.write(`${path} is written. Keep a copy where nobody else reads it.\n`)
} catch (error) {
  if (error.code !== 'EEXIST') throw error
  process.stderr.write(`${path} is there already and stays as it is.\n`)
  process.exitCode = 1
}
