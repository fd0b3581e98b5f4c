import { runCommand } from '@herald/local/run-command'

/** The program that tests rules of Prometheus, and why there is none as the end of a title. */
export async function findPromtool(): Promise<{ path: string; note: string }> {
  const path = process.env['HERALD_PROMTOOL'] || 'promtool'
  const { code } = await runCommand([path, '--version'])
  const note = ' (skipped: there is no promtool on the PATH, nor one in HERALD_PROMTOOL)'
  return { path, note: code === 0 ? '' : note }
}
