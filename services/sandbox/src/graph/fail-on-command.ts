/** The reason in `#sandbox-fail:REASON` of a text: processing the post fails with it. */
export function failureIn(text: string): string | null {
  return /#sandbox-fail:(\w+)/.exec(text)?.[1] ?? null
}
