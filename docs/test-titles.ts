import { globSync, readFileSync } from 'node:fs'

const ROOT = new URL('..', import.meta.url).pathname
const FILES = [
  'libs/*/{src,test}/**/*.test.ts',
  'services/*/{src,test}/**/*.test.ts',
  'bench/**/*.test.ts',
]
/** A text in quotation marks; titles and the rows of tables that fill them are such texts. */
const TEXT = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g

/** Every text of every test file, by the path of the file. */
export function textsOfTests(): Map<string, string[]> {
  return new Map(
    globSync(FILES, { cwd: ROOT }).map((path) => [
      path,
      (readFileSync(ROOT + path, 'utf8').match(TEXT) ?? []).map(unquoted),
    ]),
  )
}

function unquoted(literal: string): string {
  return literal.slice(1, -1).replaceAll(/\\(['"`\\])/g, '$1')
}
