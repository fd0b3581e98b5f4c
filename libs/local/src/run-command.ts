import { spawn } from 'node:child_process'

/** What a finished command left: its exit code (undefined when it could not run or was stopped) and its output. */
export type CommandResult = { code: number | undefined; output: string }

/**
 * Runs a program to its end and never throws: a program that is missing, fails or outlives `timeoutMs` (30 seconds
 * unless given) is told by the result. `output` is standard output and standard error together.
 */
export function runCommand(
  command: readonly string[],
  options: { env?: NodeJS.ProcessEnv; cwd?: string; timeoutMs?: number } = {},
): Promise<CommandResult> {
  const [program = '', ...args] = command
  const { timeoutMs = 30_000, ...rest } = options
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      ...rest,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    })
    let output = ''
    child.stdout.on('data', (chunk) => (output += String(chunk)))
    child.stderr.on('data', (chunk) => (output += String(chunk)))
    child.once('error', (error) => resolve({ code: undefined, output: error.message }))
    child.once('close', (code) => resolve({ code: code ?? undefined, output: output.trim() }))
  })
}

/** The last lines of a command's output, for a message to a person. */
export function lastLines(output: string, count = 3): string {
  return output.split('\n').slice(-count).join('\n')
}
