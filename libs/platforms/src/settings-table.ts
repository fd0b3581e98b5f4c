import { PLATFORMS } from './rules-registry.ts'
import { settingVariable } from './settings.ts'

/** The variables of all platforms as a table in Markdown, with what holds when one is not set. */
export function settingsTable(): string {
  const rows = PLATFORMS.flatMap(({ rules: { platform, name }, settings, secretSettings }) => {
    const variables = Object.entries(settings).map(([setting, byDefault]) => {
      const secret = secretSettings.includes(setting) ? ' (secret)' : ''
      const value = byDefault === null ? 'none' : `\`${byDefault}\``
      return `| ${name} | \`${settingVariable(platform, setting)}\`${secret} | ${value} |`
    })
    return variables.length > 0 ? variables : [`| ${name} | none |  |`]
  })
  return ['| platform | variable | without it |', '|---|---|---|', ...rows].join('\n')
}

const BEGIN = '<!-- written by npm run fix -->'
const END = '<!-- to here -->'

/** A document with the table in the place that is marked for it. Throws when there is no such place. */
export function withSettingsTable(document: string): string {
  const [before, rest] = document.split(BEGIN)
  const [, after] = rest?.split(END) ?? []
  if (before === undefined || after === undefined)
    throw new Error(`There is no place between "${BEGIN}" and "${END}".`)
  return `${before}${BEGIN}\n${settingsTable()}\n${END}${after}`
}
