/** Text that is HTML already. */
export type Html = { html: string }
type Part = Html | string | readonly Html[]

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** A template whose values are escaped, save those that are `Html`. */
export function html(strings: TemplateStringsArray, ...values: Part[]): Html {
  const parts = strings.map((text, index) => text + render(values[index] ?? ''))
  return { html: parts.join('') }
}

function render(value: Part): string {
  if (typeof value === 'string')
    return value.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
  return 'html' in value ? value.html : value.map((one) => one.html).join('')
}
