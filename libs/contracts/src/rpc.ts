import type { z } from 'zod'

/**
 * One request/reply operation between services.
 * `safe` marks an operation that changes nothing, so it may be asked again when its answer was lost.
 * `timeoutMs` is the caller's deadline, 5 seconds unless said otherwise.
 */
export type Operation = {
  input: z.ZodType
  output: z.ZodType
  safe?: boolean
  timeoutMs?: number
}

/** What one service answers: a name and its operations. `rpcSubject` tells where each is called. */
export type Contract = { service: string; operations: Record<string, Operation> }

/** Where an operation is called: `herald.rpc.<service>.<operation>`. */
export function rpcSubject(service: string, operation: string): string {
  return `herald.rpc.${service}.${operation}`
}

/** Where the answers to a program come; nobody else may listen there. */
export function inboxPrefix(name: string): string {
  return `_INBOX_${name}`
}

/** Declares a service's RPC contract, keeping its literal types. */
export function contract<const C extends Contract>(definition: C): C {
  return definition
}

/** Who and what a call belongs to; travels in the headers of every RPC. */
export type CallContext = { requestId: string; traceparent?: string | undefined }

/** The functions a service supplies to answer its contract. */
export type Handlers<C extends Contract> = {
  [K in keyof C['operations']]: (
    input: z.output<C['operations'][K]['input']>,
  ) => Promise<z.input<C['operations'][K]['output']>>
}

/** The functions another service calls to reach that contract. */
export type Client<C extends Contract> = {
  [K in keyof C['operations']]: (
    input: z.input<C['operations'][K]['input']>,
  ) => Promise<z.output<C['operations'][K]['output']>>
}
