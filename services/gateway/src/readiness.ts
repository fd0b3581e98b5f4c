export type ReadinessDeps = {
  /** Whether the process is about to stop. */
  isClosing: () => boolean
  /** Whether NATS is connected. */
  isConnected: () => boolean
  /** The direct roads to the services; a service without one is undefined. */
  roads: readonly (string | undefined)[]
}

const ANSWER_WITHIN_MS = 1_000

/** Tells whether the services can be called: over NATS, or else each over a direct road that answers. */
export function readiness(deps: ReadinessDeps): () => Promise<boolean> {
  const { isClosing, isConnected, roads } = deps
  const lookAtRoads = async () => (await Promise.all(roads.map(answers))).every(Boolean)
  let looking: Promise<boolean> | undefined
  return async () => {
    if (isClosing()) return false
    if (isConnected()) return true
    // Anybody may ask for readiness, so questions at the same time share one look.
    looking ??= lookAtRoads().finally(() => (looking = undefined))
    return looking
  }
}

/** A service's own readiness asks for NATS, which is away here; that its process lives is enough. */
async function answers(road: string | undefined): Promise<boolean> {
  if (road === undefined) return false
  try {
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS)
    const response = await fetch(`${road}/healthz`, { redirect: 'error', signal })
    await response.body?.cancel()
    return response.ok
  } catch {
    return false
  }
}
