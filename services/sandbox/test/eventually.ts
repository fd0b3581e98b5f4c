const WITHIN_MS = 15_000

/** Tries until it does not throw. */
export async function eventually(check: () => Promise<unknown>): Promise<void> {
  const until = Date.now() + WITHIN_MS
  for (;;) {
    try {
      await check()
      return
    } catch (error) {
      if (Date.now() > until) throw error
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
}
