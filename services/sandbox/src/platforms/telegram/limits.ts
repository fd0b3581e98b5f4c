/** The limits of the Bot API. */
export const LIMITS = {
  characters: 4096,
  captionCharacters: 1024,
  albumFiles: 10,
  requestBytes: 50_000_000,
  photoBytes: 10_485_760,
  /** Of width and height together. */
  photoSides: 10_000,
  photoRatio: 20,
  /** Of files that Telegram fetches itself. */
  fetchedPhotoBytes: 5_000_000,
  fetchedBytes: 20_000_000,
}
