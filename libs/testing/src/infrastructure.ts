/**
 * Whether the servers of tests are containers (`HERALD_TEST_INFRA=containers`) or programs of this machine (`embedded`,
 * or nothing). Throws for anything else, so that a typing mistake does not test the wrong servers.
 */
export function usesContainers(env: NodeJS.ProcessEnv = process.env): boolean {
  const wanted = env['HERALD_TEST_INFRA'] || 'embedded'
  if (wanted === 'containers' || wanted === 'embedded') return wanted === 'containers'
  throw new Error(`HERALD_TEST_INFRA is ${wanted}, and neither containers nor embedded.`)
}
