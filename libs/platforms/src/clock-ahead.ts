/** How much later a platform's clock is than this one, in milliseconds, by the date of its answer. */
export function clockAhead(headers: Record<string, string>): number {
  const date = Date.parse(headers['date'] ?? '')
  return Number.isNaN(date) ? 0 : date - Date.now()
}
