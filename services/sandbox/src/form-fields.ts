import type { Call } from './call.ts'
import { readForm } from './read-form.ts'

/** The parameters of a call that are one text each; none when its body is not readable. */
export async function formFields(call: Call): Promise<Record<string, string>> {
  const { fields = {} } = (await readForm(call)) ?? {}
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value] as const] : [],
    ),
  )
}
