import { fastFolder, temporaryFolder } from '@herald/testing/temporary-folder'
import { z } from 'zod'
import { type Ended, runProgram, runStack, type RunningStack } from './programs.ts'

/** The command line on a stack of its own. */
export type Cli = {
  stack: RunningStack
  folder: string
  run: (...args: string[]) => Promise<Ended>
  /** Runs a command with `--json`; throws unless it exits 0 with one JSON value in a line and nothing on standard error. */
  json: <Schema extends z.ZodType>(schema: Schema, ...args: string[]) => Promise<z.output<Schema>>
}

/** The fixture of `test.extend`; tests of a file share one stack. */
export const cli = [
  async ({}, use: (cli: Cli) => Promise<void>) => {
    using folder = temporaryFolder(fastFolder())
    await using stack = await runStack(folder.path)
    const run = (...args: string[]) => runProgram('cli/main.ts', args, folder.path).ended
    await use({
      stack,
      folder: folder.path,
      run,
      async json(schema, ...args) {
        const { code, stdout, stderr } = await run(...args, '--json')
        if (code !== 0 || stderr !== '' || !/^[^\n]+\n$/.test(stdout))
          throw new Error(`Exit code ${code}: ${stdout}${stderr}`)
        return schema.parse(JSON.parse(stdout))
      },
    })
  },
  { scope: 'file' },
] satisfies [unknown, { scope: 'file' }]

/** The words of a command line; what is put in is one word. */
export const words = (parts: TemplateStringsArray, ...values: string[]) =>
  parts.flatMap((part, index) => [
    ...part.split(' ').filter(Boolean),
    ...values.slice(index, index + 1),
  ])

/** What `--json` prints of a list. */
export const listOf = <Schema extends z.ZodType>(schema: Schema) =>
  z.strictObject({ data: z.array(schema) })
