import {
  type Attributes,
  context,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'

export type SpanOptions = {
  /** Its part in a meeting of two processes; none unless given. */
  kind?: 'client' | 'server' | 'producer' | 'consumer'
  /** The W3C `traceparent` that it goes on from; without one, from the span that is active, if any. */
  parent?: string | undefined
  /** The `traceparent` of a stranger: the span belongs to a trace of its own and only points there. */
  link?: string | undefined
  /** Few and short: never a key, a token, an address with its query, or what a person wrote. */
  attributes?: Attributes
}

const KINDS = {
  client: SpanKind.CLIENT,
  server: SpanKind.SERVER,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
}

/**
 * Runs work inside a span, which ends with it. When the work fails, the span tells the failure's code and never its
 * message, which may hold anything. Without telemetry it only runs the work.
 */
export async function inSpan<T>(
  name: string,
  options: SpanOptions,
  work: (span: Span) => Promise<T>,
): Promise<T> {
  const { span, run } = openSpan(name, options)
  try {
    return await run(() => work(span))
  } catch (error) {
    failSpan(span, error)
    throw error
  } finally {
    span.end()
  }
}

/** Opens a span that ends when `span.end()` is called; `run` runs something inside it. */
export function openSpan(
  name: string,
  { kind, parent, link, attributes = {} }: SpanOptions,
): { span: Span; run: <T>(work: () => T) => T } {
  const from = spanContextOf(parent)
  const linked = spanContextOf(link)
  const base = from ? trace.setSpanContext(ROOT_CONTEXT, from) : context.active()
  const span = trace.getTracer('herald').startSpan(
    name,
    {
      kind: kind ? KINDS[kind] : SpanKind.INTERNAL,
      attributes,
      ...(linked && { links: [{ context: linked }] }),
    },
    base,
  )
  return { span, run: (work) => context.with(trace.setSpan(base, span), work) }
}

/** Marks a span as failed. */
export function failSpan(span: Span, error: unknown): void {
  span.setStatus({ code: SpanStatusCode.ERROR })
  span.setAttribute('error.type', codeOf(error))
}

/** The `traceparent` of the active span; nothing when there is none. */
export function activeTraceparent(): string | undefined {
  const active = activeSpan()
  if (!active) return undefined
  const flags = active.traceFlags.toString(16).padStart(2, '0')
  return `00-${active.traceId}-${active.spanId}-${flags}`
}

/** The ids of the active span; nothing when there is none. */
export function activeSpan(): SpanContext | undefined {
  const active = trace.getSpanContext(context.active())
  return active && isSpanContextValid(active) ? active : undefined
}

const TRACEPARENT = /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})/

/** What is no `traceparent` is none. */
function spanContextOf(traceparent: string | undefined): SpanContext | undefined {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent ?? '') ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined
  const read = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true }
  return isSpanContextValid(read) ? read : undefined
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
