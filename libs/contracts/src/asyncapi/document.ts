import { EVENTS_STREAM, eventSubject } from '../events.ts'
import { OrganizationId } from '../ids.ts'
import { PUBLIC_EVENTS, type PublicEvent } from '../public-events.ts'
import { eventSchema, type JsonSchema } from './event-schema.ts'
import { exampleOf } from './examples.ts'
import { ENTITIES, INTRODUCTION, WHEN } from './sentences.ts'

/** The AsyncAPI document of the public events: one channel, operation and message for each, in the contract's order. */
export function asyncapiDocument() {
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Herald events',
      version: '1.0.0',
      description: INTRODUCTION,
      license: { name: 'Apache-2.0' },
      tags: Object.entries(ENTITIES).map(([name, description]) => ({ name, description })),
    },
    defaultContentType: 'application/cloudevents+json',
    servers: {
      nats: {
        host: 'nats:4222',
        protocol: 'nats',
        description: `Your operator tells the address and your credentials. The stream is ${EVENTS_STREAM}.`,
      },
    },
    channels: byType(channelOf),
    operations: byType(operationOf),
    components: {
      messages: byType(messageOf),
      schemas: { ...sharedSchemas(), MessageHeaders: HEADERS },
      parameters: {
        organizationId: { description: `${OrganizationId.description} \`*\` subscribes to all.` },
      },
    },
  }
}

const HEADERS = {
  type: 'object',
  required: ['Content-Type', 'Nats-Msg-Id'],
  properties: {
    'Content-Type': { const: 'application/cloudevents+json', type: 'string' },
    'Nats-Msg-Id': {
      type: 'string',
      description:
        'By it the server drops what comes twice within ten minutes: the `id` of the body, which a suffix `~…` may follow. Drop duplicates by the `id` of the body, never by this header.',
    },
    traceparent: {
      type: 'string',
      description: 'The W3C trace context of the publishing, for tools that read headers only.',
    },
  },
}

function byType<T>(describe: (event: PublicEvent) => T): Record<string, T> {
  return Object.fromEntries(PUBLIC_EVENTS.map((event) => [event.type, describe(event)]))
}

function channelOf({ type, entity, action }: PublicEvent) {
  return {
    address: eventSubject(entity, '{organizationId}', action),
    description: WHEN[type],
    parameters: { organizationId: { $ref: '#/components/parameters/organizationId' } },
    messages: { [type]: { $ref: `#/components/messages/${type}` } },
    tags: [{ name: entity }],
  }
}

function operationOf({ type, entity }: PublicEvent) {
  return {
    action: 'send',
    summary: WHEN[type],
    channel: { $ref: `#/channels/${type}` },
    messages: [{ $ref: `#/channels/${type}/messages/${type}` }],
    tags: [{ name: entity }],
  }
}

function messageOf(event: PublicEvent) {
  const { type, entity } = event
  return {
    name: type,
    title: type,
    summary: WHEN[type],
    contentType: 'application/cloudevents+json',
    headers: { $ref: '#/components/schemas/MessageHeaders' },
    payload: withSharedRefs(eventSchema(event)).schema,
    correlationId: {
      description: 'The event, the same however often it comes.',
      location: '$message.payload#/id',
    },
    examples: [exampleOf(event)],
    tags: [{ name: entity }],
  }
}

function sharedSchemas(): Record<string, object> {
  return Object.assign(
    {},
    ...PUBLIC_EVENTS.map((event) => withSharedRefs(eventSchema(event)).shared),
  )
}

/** A schema whose own definitions stand among those of the document, which is where references are looked up. */
function withSharedRefs(own: JsonSchema): { schema: object; shared: Record<string, object> } {
  const text = JSON.stringify(own).replaceAll('#/definitions/', '#/components/schemas/')
  const { $schema: _, definitions: shared, ...schema } = JSON.parse(text)
  return { schema, shared }
}
