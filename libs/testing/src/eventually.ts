import { setTimeout as wait } from 'node:timers/promises'

/**
 * Runs `check` again and again until it does not throw, and answers what it answers. After `timeoutMs` milliseconds
 * it throws the failure of the last try. For waiting on what another part does in its own time.
 */
export async function eventually<T>(
  check: () => T | Promise<T>,
  { timeoutMs = 15_000, intervalMs = 25 }: { timeoutMs?: number; intervalMs?: number } = {},
): Promise<T> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    try {
      return await check()
    } catch (failure) {
      if (Date.now() >= deadline) throw failure
    }
    await wait(intervalMs)
  }
}
