import { spawnSync } from 'node:child_process'

const STEPS: Record<string, string[]> = {
  format: ['oxfmt', '--check'],
  lint: ['oxlint', '--type-aware', '--deny-warnings'],
  types: ['tsc', '-p', '.'],
  boundaries: ['turbo', 'boundaries', '--no-color', '--no-update-notifier'],
  unused: ['knip', '--no-config-hints'],
}

/** Runs every check, also after one failed, and says how many passed and failed. */
export function runChecks(): { passed: number; failed: number } {
  const failed = Object.entries(STEPS).filter(([name, step]) => !succeeds(name, step)).length
  return { passed: Object.keys(STEPS).length - failed, failed }
}

function succeeds(name: string, [program = '', ...args]: string[]): boolean {
  // What a step writes is only of interest when it failed.
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: 'utf8',
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1' },
    maxBuffer: 64 * 1024 * 1024,
  })
  const isGood = status === 0
  process.stdout.write(
    `${isGood ? 'ok    ' : 'FAILED'}  ${name} (${[program, ...args].join(' ')})\n`,
  )
  if (!isGood) process.stdout.write(`${error?.message ?? ''}${stdout}${stderr}\n`)
  return isGood
}

if (import.meta.main) process.exitCode = runChecks().failed === 0 ? 0 : 1
