import type { z } from 'zod'

/** What a platform's answer says, or undefined when it is not JSON of that shape. */
export function readJson<T extends z.ZodType>(schema: T, text: string): z.output<T> | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
