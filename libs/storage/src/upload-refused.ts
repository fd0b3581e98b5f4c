/** An upload is answered with an error, in the words of an S3 server. */
export class UploadRefused extends Error {
  override readonly name = 'UploadRefused'
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.status = status
    this.code = code
  }
}
