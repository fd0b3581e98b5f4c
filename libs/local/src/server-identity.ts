import { runCommand } from './run-command.ts'

/** Under which user a server runs: words to put before its command, and who has to own its files (if anybody). */
export type ServerIdentity = {
  prefix: readonly string[]
  owner: { uid: number; gid: number } | undefined
}

const NOBODY = 65_534

// The server ends in order when its Herald is killed. Only Linux has this; elsewhere, and where setpriv is missing,
// the next start finds the server that was left behind.
const ENDS_WITH_PARENT = ['setpriv', '--pdeathsig', 'INT']

// Postgres refuses to run as root. It keeps one right of root, to pass folders that are closed to others, because
// its own files often lie somewhere below root's home.
const AS_NOBODY = [
  ...ENDS_WITH_PARENT,
  `--reuid=${NOBODY}`,
  `--regid=${NOBODY}`,
  '--clear-groups',
  '--securebits=+no_setuid_fixup',
  '--inh-caps=+dac_override',
  '--ambient-caps=+dac_override',
]

// Root outside, user 1000 inside: the files belong to root. For machines that do not let a process keep rights.
const IN_USER_NAMESPACE = ['unshare', '--user', '--map-user=1000', '--map-group=1000']

/**
 * Finds a way to run `program` as a user that is not root. It is tried with `program --version`; throws when this
 * process is root and no way works.
 */
export async function serverIdentity(program: string): Promise<ServerIdentity> {
  const works = async (prefix: readonly string[]) =>
    (await runCommand([...prefix, program, '--version'])).code === 0
  if (process.getuid?.() !== 0) {
    return { prefix: (await works(ENDS_WITH_PARENT)) ? ENDS_WITH_PARENT : [], owner: undefined }
  }
  if (await works(AS_NOBODY)) return { prefix: AS_NOBODY, owner: { uid: NOBODY, gid: NOBODY } }
  if (await works(IN_USER_NAMESPACE)) {
    return { prefix: IN_USER_NAMESPACE, owner: { uid: 0, gid: 0 } }
  }
  const { output } = await runCommand([program, '--version'])
  throw new Error(
    `${program} does not run as root, and neither setpriv nor unshare (package util-linux) can run it as another ` +
      `user here. Start Herald as an ordinary user. (${output})`,
  )
}
