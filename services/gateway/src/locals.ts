import type { Quota } from '@herald/contracts/quota'
import type { NextFunction, Request, Response } from 'express'
import type { Session } from './session.ts'

/** What one request gathers on its way. */
export type Locals = {
  requestId: string
  /** The path of the route with its parameters' names, for the log. */
  route?: string
  session?: Session
  /** What is left; nothing while the quota service is away. */
  quota?: Quota
}

export type EdgeResponse = Response<unknown, Locals>
export type Middleware = (request: Request, response: EdgeResponse, next: NextFunction) => void
