/** What a reader has to know before any endpoint. Markdown. */
export const INTRODUCTION = `
Herald schedules posts to social channels and publishes them on time and never twice.

## Requests
- Every request carries \`Authorization: Bearer <API key>\`. A key belongs to one organization and has scopes; each
  endpoint says which one it needs. A key may be limited to some channels: then it sees and posts to only those.
- Bodies are JSON in UTF-8, at most 256 KB. Unknown fields are refused, and so are unknown parameters where an endpoint
  takes any, so that a typing mistake is not silently ignored.
- A path that is not in this document is 404 \`not_found\` for a caller with a key and 401 \`unauthorized\` for all others.

## Answers
- Every field is always there. What is unknown is \`null\`; lists are never null.
- Instants are ISO 8601 in UTC with milliseconds. Those you send need a UTC offset.
- Ids are opaque; those of one kind sort by the time they were made.
- A list comes in pages: send \`nextCursor\` as \`cursor\` until it is \`null\`. A cursor belongs to its list and its filters.
- Every answer carries \`X-Request-Id\`. A well-formed one that you send is kept.

## Errors
Every answer that is not a success is \`{ "error": { "code", "message", "details"? } }\`. Branch on \`code\`; \`message\` can be
shown to a person. 500 and 503 may be tried again for requests that read, and for a POST that carries an \`Idempotency-Key\`; without one,
a post that may have been created is refused as \`duplicate_post\` when it is sent again within 5 minutes.

## Sending a request again
A POST may carry an \`Idempotency-Key\`, a text of your own. The first request with it is carried out. For 24 hours after its
answer the same request gets the same status and body again, with \`Idempotent-Replayed: true\`, even if the resource has
changed or is gone. While the first one is under way it is 409 \`conflict\` with \`details.reason: idempotency_in_progress\`; a
request with another path or body is 422. What was refused had no effect and is not remembered: sent again, it is looked
at anew. If Herald crashes, the request took effect and is replayed, or it did not and can be sent again after 15 seconds.

## Changing what has not changed
Each answer that is a single post or file carries its \`ETag\`, which stands for exactly what this key sees of it. With it a GET
by \`If-None-Match\` is 304 as long as nothing has changed, and a PATCH or DELETE by \`If-Match\` takes place only then; otherwise
it is 412 \`conflict\`, and nothing has happened.

## A post's life
\`scheduled\` until its time, \`publishing\` while channels are worked on, then \`published\` if at least one channel is live
and \`failed\` if none is. It ends within 60 minutes of its due time. Each channel has a state, an error and a live URL of its
own; a channel never gets a post twice. A retry makes the post \`scheduled\` again for the channels that failed.
`.trim()
