const [, target, sign, count = '1'] =
  /^([^#*]+)([#*]?)(\d*)$/.exec(process.env.HERALD_CRASH_AT ?? '') ?? []
let passes = 0

/**
 * A named point of a path where a crash must do no harm. With `HERALD_CRASH_AT=name` the process kills itself there
 * with SIGKILL; with `name#3` the third time it comes by. Otherwise nothing happens. Tests of crashes use it.
 */
export function crashPoint(name: string): void {
  if (name !== target) return
  passes += 1
  if (passes === Number(count || 1)) process.kill(process.pid, 'SIGKILL')
}

/**
 * The same where many come by at once: with `name*3` the first two wait there, so that a crash meets three of them at the
 * same point.
 */
export async function crashPointOfMany(name: string): Promise<void> {
  crashPoint(name)
  if (name === target && sign === '*') await new Promise(() => undefined)
}
