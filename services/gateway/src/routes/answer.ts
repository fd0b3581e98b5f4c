import { ChannelOptions } from '@herald/contracts/channels'
import type { Route } from '@herald/contracts/http'
import type { Replayable } from '@herald/contracts/idempotency'
import { Media } from '@herald/contracts/media'
import { Post } from '@herald/contracts/posts'
import { etagOf } from '@herald/service/etag'
import type { Request } from 'express'
import { isNoneMatch } from '../entity-tags.ts'
import type { EdgeResponse } from '../locals.ts'
import { send } from '../send.ts'

/** What is answered as a single resource has a tag. */
const TAGGED: readonly unknown[] = [Post, Media, ChannelOptions]

/** Answers a request that succeeded: with the tag of a resource, with 304 if the caller has it, and says what is a replay. */
export function answer(
  { method, status, response: schema }: Route,
  request: Request,
  response: EdgeResponse,
  value: unknown,
): void {
  const { isReplay, ...body } = value as Replayable<object>
  if (isReplay) response.setHeader('Idempotent-Replayed', 'true')
  if (TAGGED.includes(schema)) {
    const tag = etagOf(body)
    response.setHeader('ETag', tag)
    if (method === 'GET' && !isNoneMatch(request.headers['if-none-match'], tag)) {
      response.statusCode = 304
      response.end()
      return
    }
  }
  send(response, status, body)
}
