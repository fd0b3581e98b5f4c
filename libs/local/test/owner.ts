import { startNats } from '../src/nats.ts'
import { startPostgres } from '../src/postgres.ts'

// Run by child.ts: starts one server, says where it is, and then lives until it is killed.
const [module, options = '{}'] = process.argv.slice(2)
const start = module === 'nats' ? startNats : startPostgres
const { url, port, pid } = await start(JSON.parse(options))
process.stdout.write(JSON.stringify({ url, port, pid }))
