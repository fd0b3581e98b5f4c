import { z } from 'zod'
import { CloudEvent } from '../events.ts'
import type { PublicEvent } from '../public-events.ts'
import { WHEN } from './sentences.ts'

export type JsonSchema = z.core.JSONSchema.JSONSchema

/**
 * The JSON Schema (draft 7) of one event's message, envelope and data. It allows fields that it does not name, because
 * an event may gain some.
 */
export function eventSchema({ type, source, subject, data }: PublicEvent): JsonSchema {
  const message = CloudEvent.extend({
    source: z.literal(source).meta({ description: 'The service it comes from.' }),
    type: z.literal(type).meta({ description: 'What happened.' }),
    subject: subject.meta({ description: 'The id of what it happened to.' }),
    data,
  }).meta({ title: type, description: WHEN[type] })
  return z.toJSONSchema(message, { target: 'draft-7', io: 'output', override: simplify })
}

/** The file of an event's schema in `docs/schemas`. */
export function schemaFile({ type, version }: PublicEvent): string {
  return `${type}.v${version}.json`
}

/** Says in JSON Schema what Zod's own translation says too loudly. */
function simplify({ jsonSchema }: { jsonSchema: JsonSchema }): void {
  // The format says the same in one word.
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern
  // Any integer in JSON has these bounds.
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  delete jsonSchema.additionalProperties
  delete jsonSchema.default
}
