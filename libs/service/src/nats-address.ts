/** Where NATS servers are and what they ask for, as the client takes it. */
export type NatsAddress = { servers: string[]; user?: string; pass?: string }

/**
 * Reads addresses of NATS, comma-separated. The client takes no credentials in an address, so those of
 * `nats://user:password@host:4222` are taken out; all servers of a cluster ask for the same, and the first that has them counts.
 */
export function readNatsUrl(natsUrl: string): NatsAddress {
  const parts = natsUrl.split(',').map((text) => text.trim())
  const credentials = parts.map((text) => /^(?:\w+:\/\/)?([^@/]*)@/.exec(text)?.[1])
  const [user = '', ...rest] = credentials.find((found) => found !== undefined)?.split(':') ?? []
  const servers = parts.map((text) => text.replace(/^(\w+:\/\/)?[^@/]*@/, '$1'))
  if (user === '') return { servers }
  return { servers, user: decodeURIComponent(user), pass: decodeURIComponent(rest.join(':')) }
}
