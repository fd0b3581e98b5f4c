/** A service as the embedded stack handles it. */
export type Running = { url: string; close: () => Promise<void> }
export type Env = Record<string, string | undefined>

/** The services that own a database. */
export const DATABASE_OWNERS = [
  'accounts',
  'quota',
  'channels',
  'media',
  'posts',
  'publisher',
] as const
type ServiceName = (typeof DATABASE_OWNERS)[number] | 'gateway' | 'sandbox'

/**
 * Starts a service in this process with the same function its own process uses. The embedded stack is the one
 * place where services meet in one program, so it loads them by their place in the tree: as packages they
 * export nothing, and no other code can import them.
 */
export async function startOwn(name: ServiceName, env: Env): Promise<Running> {
  const { start } = (await load(name, 'start')) as { start: (env: Env) => Promise<Running> }
  return start(env)
}

/** Brings a service's database up to date. */
export async function migrateOwn(
  name: (typeof DATABASE_OWNERS)[number],
  databaseUrl: string,
): Promise<void> {
  const { migrate } = (await load(name, 'migrate')) as { migrate: (url: string) => Promise<void> }
  return migrate(databaseUrl)
}

function load(name: ServiceName, file: string): Promise<unknown> {
  return import(new URL(`../../../services/${name}/src/${file}.ts`, import.meta.url).href)
}
