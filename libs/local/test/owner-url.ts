/** A service's database for the test itself: the superuser, who sees the rows of all organizations. */
export function ownerUrl(databaseUrl: string): string {
  const url = new URL(databaseUrl)
  // The servers of tests ask for no password.
  url.username = 'postgres'
  return url.href
}
