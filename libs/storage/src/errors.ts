/** There is no object of this key. */
export class StorageMissing extends Error {
  override readonly name = 'StorageMissing'
  readonly key: string

  constructor(key: string, options?: ErrorOptions) {
    super(`There is no object ${key}.`, options)
    this.key = key
  }
}

/** The store did not answer in time, broke off, or refused. What it said, if anything, is the cause. */
export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable'
}

/** A body had more or less bytes than announced. Nothing was stored. */
export class WrongLength extends Error {
  override readonly name = 'WrongLength'
}

/** A body gave nothing for the idle deadline. Nothing was stored. */
export class BodyStalled extends Error {
  override readonly name = 'BodyStalled'
}
