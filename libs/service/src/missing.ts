/** The error of a stream or consumer that is not there and that this process may not make. */
export function missing(name: string, cause?: unknown): Error {
  return new Error(
    `${name} is not on NATS or cannot be read. Provisioning makes it: node deploy/provision/main.ts`,
    { cause },
  )
}
