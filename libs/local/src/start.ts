import { runUntilSignal } from '@herald/service/shutdown'
import { dataFolder } from './run-file.ts'
import { startStack } from './stack.ts'
import { StartRefused } from './start-refused.ts'

const say = (line: string) => void process.stdout.write(`${line}\n`)

/** A refusal is told in a sentence; anything else with all its particulars. */
function refuse(error: unknown): never {
  if (!(error instanceof StartRefused)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
}

await runUntilSignal(async () => {
  const stack = await startStack({
    dataDir: dataFolder(process.env),
    port: Number(process.env.PORT || 8080),
    env: process.env,
    log: say,
  }).catch(refuse)
  const { run } = stack
  const [channel] = run.demo.channels
  say(`
Herald is running. Ctrl-C stops it.

  API        ${run.apiUrl}/v1
  Sandbox    ${run.sandboxUrl}  (what is live on the platforms)
  Files      ${run.filesUrl}
  NATS       ${run.natsUrl}
  Postgres   ${run.postgresUrl}
  Demo key   ${run.demo.apiKey}

Publish a first post now:

  curl -sS ${run.apiUrl}/v1/posts \\
    -H 'Authorization: Bearer ${run.demo.apiKey}' -H 'Content-Type: application/json' \\
    -d '{"content":"Hello from Herald","channelIds":["${channel?.id}"]}'
`)
  return stack
})
