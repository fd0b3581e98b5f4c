const [target, count = '1'] = (process.env.HERALD_CRASH_AT ?? '').split('#')
let passes = 0

/**
 * A named point of a path where a crash must do no harm. With `HERALD_CRASH_AT=name` the process kills itself there
 * with SIGKILL; with `name#3` the third time it comes by. Otherwise nothing happens. Tests of crashes use it.
 */
export function crashPoint(name: string): void {
  if (name !== target) return
  passes += 1
  if (passes === Number(count)) process.kill(process.pid, 'SIGKILL')
}
