import { createSchema, type ZodOpenApiOverride } from 'zod-openapi'

/** Says in JSON Schema what Zod's own translation leaves out or says too loudly. */
export const schemaOverride: ZodOpenApiOverride = ({ zodSchema, jsonSchema, io }) => {
  const { def } = zodSchema._zod
  // What a parameter has to be in the end says more than the text it is read from.
  if (def.type === 'pipe' && io === 'input' && def.out._zod.def.type !== 'transform') {
    const { description } = jsonSchema
    const { schema } = createSchema(def.out, { io, opts: { override: schemaOverride } })
    for (const name of Object.keys(jsonSchema)) delete jsonSchema[name as 'type']
    Object.assign(jsonSchema, schema, description !== undefined && { description })
  }
  // The format says the same in one word.
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern
  // Any integer in JSON has these bounds.
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
}
