import { existsSync, readFileSync } from 'node:fs'
import { Ajv2020 } from '@redocly/ajv/dist/2020.js'
import { parseYaml } from '@redocly/openapi-core'

const FOLDER = new URL('../../../../shared/platforms/openapi/', import.meta.url)

/** Why tests against others' descriptions of the platforms are skipped, or undefined when they are there. */
export const NO_DESCRIPTIONS = existsSync(FOLDER)
  ? undefined
  : 'others’ descriptions of the platforms are not beside this checkout'

type Description = { components: { schemas: object } }

/** A platform as others have described it: the paths it has, and what is wrong with an object of a name. */
export function readDescription(name: string) {
  const text = readFileSync(new URL(`${name}.yaml`, FOLDER), 'utf8')
  // One of them has the same path twice, which is no YAML; its schemas are.
  const { components } = parseYaml(text.slice(text.indexOf('\ncomponents:'))) as Description
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
  return {
    paths: Array.from(text.matchAll(/^ {2}(\/\S*):$/gm), ([, path]) => path),
    problems: (schema: string, value: unknown): string[] => {
      const check = ajv.compile({ $ref: `#/components/schemas/${schema}`, components })
      if (check(value)) return []
      return (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
    },
  }
}
