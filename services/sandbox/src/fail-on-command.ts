/** The reason in `#sandbox-fail:REASON` of a text: the platform refuses the post with it, or fails to process it. */
export function failureIn(text: string): string | null {
  return /#sandbox-fail:(\w+)/.exec(text)?.[1] ?? null
}
