import { randomBytes } from 'node:crypto'
import { type Answer, jsonAnswer, Refusal } from '../call.ts'

export type GraphError = {
  message: string
  code: number
  subcode?: number
  /** `OAuthException` unless given. */
  type?: string
  isTransient?: boolean
  userTitle?: string
  userMessage?: string
  status?: number
}

/** The error envelope of the Graph API. The status is 400 unless the error has another. */
export function graphError(error: GraphError): Answer {
  const { status = 400, message, type = 'OAuthException', code, subcode, userTitle } = error
  const body = {
    message,
    type,
    code,
    ...(subcode !== undefined && { error_subcode: subcode }),
    ...(error.isTransient !== undefined && { is_transient: error.isTransient }),
    ...(userTitle !== undefined && { error_user_title: userTitle }),
    ...(error.userMessage !== undefined && { error_user_msg: error.userMessage }),
    fbtrace_id: `A${randomBytes(16).toString('base64url')}`,
  }
  return jsonAnswer(status, { error: body })
}

export function refuse(error: GraphError): never {
  throw new Refusal(graphError(error))
}

/** A parameter is missing or wrong. */
export function refuseParameter(message: string, more: Partial<GraphError> = {}): never {
  refuse({ message: `(#100) ${message}`, code: 100, ...more })
}

/** Nothing of this id is there, or the caller may not see it. */
export function refuseUnknown(id: string): never {
  refuse({
    message: `Unsupported get request. Object with ID '${id}' does not exist, cannot be loaded due to missing permissions, or does not support this operation`,
    type: 'GraphMethodException',
    code: 100,
    subcode: 33,
  })
}

/** How a Graph API says that it is broken. */
export function broken(): Answer {
  return graphError({
    status: 500,
    message: 'An unexpected error has occurred. Please retry your request later.',
    code: 2,
    isTransient: true,
  })
}

export function unknownPath(path: string): Answer {
  return graphError({ message: `Unknown path components: ${path}`, code: 2500 })
}
