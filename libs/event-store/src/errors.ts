/** Another writer appended to the stream first. */
export class VersionConflict extends Error {
  override name = 'VersionConflict'
}

/** A rider of an append did not find the row it needs; nothing was written. `rider` is its name. */
export class RiderRefused extends Error {
  override name = 'RiderRefused'
  readonly rider: string
  constructor(rider: string) {
    super(`The append was refused by ${rider}.`)
    this.rider = rider
  }
}

/** Postgres's error code, if the error came from Postgres. */
export function sqlState(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : undefined
}
