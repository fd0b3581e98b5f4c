import { runUntilSignal } from '@herald/service/shutdown'
import { dataFolder } from './run-file.ts'
import { startStack } from './stack.ts'

const say = (line: string) => void process.stdout.write(`${line}\n`)

await runUntilSignal(async () => {
  const stack = await startStack({
    dataDir: dataFolder(process.env),
    port: Number(process.env.PORT ?? 8080),
    env: process.env,
    log: say,
  })
  const { run } = stack
  const [channel] = run.demo.channels
  say(`
Herald is running. Ctrl-C stops it.

  API        ${run.apiUrl}/v1
  Sandbox    ${run.sandboxUrl}  (what is live on the platforms)
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
