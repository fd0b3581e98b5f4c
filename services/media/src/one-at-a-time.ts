/** Lets those who ask for the same thing at the same time share one piece of work. */
export function oneAtATime<T>() {
  const running = new Map<string, Promise<T>>()
  return (key: string, work: () => Promise<T>): Promise<T> => {
    const shared = running.get(key)
    if (shared) return shared
    const own = work().finally(() => running.delete(key))
    running.set(key, own)
    return own
  }
}
