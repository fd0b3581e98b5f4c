// Whether the process of this image lives, for `HEALTHCHECK`, which has no shell and no curl here. The exit code tells.
const { SERVICE, PORT, INTERNAL_PORT } = process.env
const byDefault = SERVICE === 'gateway' || SERVICE === 'sandbox' ? (PORT ?? 8080) : INTERNAL_PORT
const path = process.argv[2] ?? '/healthz'
const answer = await fetch(`http://127.0.0.1:${byDefault}${path}`, {
  signal: AbortSignal.timeout(4_000),
}).catch(() => undefined)
process.exitCode = answer?.ok ? 0 : 1
