/** A path with ids in it. Throws a `TypeError` for what is no id, such as `..`, which would lead elsewhere. */
export function pathOf(strings: TemplateStringsArray, ...ids: string[]): string {
  for (const id of ids)
    if (!/^[A-Za-z0-9_-]+$/.test(id)) throw new TypeError(`${JSON.stringify(id)} is not an id.`)
  return String.raw({ raw: strings }, ...ids)
}
