import busboy from 'busboy'
import { z } from 'zod'
import type { Call } from './call.ts'

export type UploadedFile = { fileName: string; mimeType: string; bytes: Buffer }
/** Fields by name; `name[]` is a list under `name`. */
export type Form = { fields: Record<string, unknown>; files: Record<string, UploadedFile> }

const Fields = z.record(z.string(), z.unknown())

/** The parameters of a call from its query and its body: JSON, urlencoded or multipart. Undefined when the body is not readable. */
export async function readForm(call: Call): Promise<Form | undefined> {
  const type = call.headers['content-type'] ?? ''
  const fields = fromPairs(call.query)
  try {
    if (type.startsWith('multipart/form-data')) return await readMultipart(call, type, fields)
    if (type.startsWith('application/json')) Object.assign(fields, readJsonFields(call.body))
    else Object.assign(fields, fromPairs(new URLSearchParams(call.body.toString())))
    return { fields, files: {} }
  } catch {
    return undefined
  }
}

function readJsonFields(body: Buffer): Record<string, unknown> {
  if (body.length === 0) return {}
  const fields = Fields.parse(JSON.parse(body.toString()))
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
}

function fromPairs(pairs: Iterable<[string, string]>): Record<string, unknown> {
  const fields: Record<string, unknown> = {}
  for (const [name, value] of pairs) addField(fields, name, value)
  return fields
}

function addField(fields: Record<string, unknown>, name: string, value: string): void {
  const list = /^(.+)\[\d*\]$/.exec(name)?.[1]
  if (list === undefined) {
    fields[name] = value
    return
  }
  const values = fields[list]
  fields[list] = Array.isArray(values) ? [...values, value] : [value]
}

function readMultipart(call: Call, type: string, fields: Record<string, unknown>): Promise<Form> {
  const files: Form['files'] = {}
  return new Promise((resolve, reject) => {
    const parser = busboy({
      headers: { 'content-type': type },
      limits: { fieldSize: 1_000_000, fields: 100, files: 20 },
    })
    parser.on('field', (name, value) => addField(fields, name, value))
    parser.on('file', (name, stream, { filename, mimeType }) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on(
        'end',
        () => (files[name] = { fileName: filename || '', mimeType, bytes: Buffer.concat(chunks) }),
      )
    })
    parser.on('error', reject)
    parser.on('close', () => resolve({ fields, files }))
    parser.end(call.body)
  })
}
