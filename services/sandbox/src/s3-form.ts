import type { Answer, Call } from './call.ts'
import { readForm, type UploadedFile } from './read-form.ts'

/**
 * A file that is posted to S3 with a form: the fields that the right to upload names, and after them the file. What comes
 * after the file is not looked at, as there. Answers S3's own refusal when something is missing.
 */
export async function readS3Form(
  call: Call,
  required: readonly string[],
): Promise<{ fields: Record<string, string>; file: UploadedFile } | { refusal: Answer }> {
  const form = await readForm(call)
  const file = form?.files['file']
  if (!form || !file)
    return {
      refusal: s3Error(
        400,
        'InvalidArgument',
        'POST requires exactly one file upload per request.',
      ),
    }
  const fileAt = call.body.indexOf('name="file"')
  const before = Object.entries(form.fields).flatMap(([name, value]) => {
    const at = call.body.indexOf(`name="${name}"`)
    return typeof value === 'string' && at >= 0 && at < fileAt ? [[name, value] as const] : []
  })
  const fields = Object.fromEntries(before)
  const missing = required.find((name) => fields[name] === undefined)
  return missing === undefined
    ? { fields, file }
    : {
        refusal: s3Error(
          400,
          'InvalidArgument',
          `Bucket POST must contain a field named '${missing}'. If it is specified, please check the order of the fields.`,
        ),
      }
}

/** How S3 refuses. */
export function s3Error(
  status: number,
  code: string,
  message: string,
  more: Record<string, number> = {},
): Answer {
  const details = Object.entries(more).map(([name, value]) => `<${name}>${value}</${name}>`)
  return xmlAnswer(
    status,
    `<Error><Code>${code}</Code><Message>${message}</Message>${details.join('')}</Error>`,
  )
}

export function xmlAnswer(status: number, xml: string): Answer {
  return {
    status,
    headers: { 'content-type': 'application/xml' },
    body: `<?xml version="1.0" encoding="UTF-8"?>\n${xml}`,
  }
}
