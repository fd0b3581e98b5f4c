/** What a way of getting nats-server works with. `folder` is its place in the cache, made when something is put there. */
export type NatsServerSource = {
  folder: string
  env: NodeJS.ProcessEnv
  log: (line: string) => void
}
