// Whether the process of this image can work, for `HEALTHCHECK`, which has no shell and no curl here. The exit code tells.
const { SERVICE, PORT = '8080', INTERNAL_PORT } = process.env
const address = {
  gateway: `http://127.0.0.1:${PORT}/readyz`,
  sandbox: `http://127.0.0.1:${PORT}/healthz`,
}
const url = address[SERVICE] ?? `http://127.0.0.1:${INTERNAL_PORT}/readyz`
const answer = await fetch(url, { signal: AbortSignal.timeout(4_000) }).catch(() => undefined)
process.exitCode = answer?.ok ? 0 : 1
