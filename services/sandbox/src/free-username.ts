/** The first of `account1`, `account2`, … that nobody has. */
export function freeUsername(taken: readonly string[]): string {
  let number = taken.length + 1
  while (taken.includes(`account${number}`)) number += 1
  return `account${number}`
}
