import type { Call } from '../call.ts'
import { readForm } from '../read-form.ts'
import { APP } from './provider.ts'

/** Whether a call has the id and secret of the sandbox's app as HTTP Basic. */
export function isFromApp({ headers }: Call): boolean {
  const basic = /^Basic +(\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? ''
  return Buffer.from(basic, 'base64').toString() === `${APP.id}:${APP.secret}`
}

/** The texts among the fields of a form; none when it is not readable. */
export async function textsOf(call: Call): Promise<Partial<Record<string, string>>> {
  const { fields = {} } = (await readForm(call)) ?? {}
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value] as const] : [],
    ),
  )
}
