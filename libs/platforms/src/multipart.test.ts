import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import type { StreamedBody } from './http.ts'
import { multipart } from './multipart.ts'

async function* pieces(...texts: string[]) {
  for (const text of texts) yield Buffer.from(text)
}

async function read({ chunks }: StreamedBody): Promise<Buffer> {
  return Buffer.concat(await Readable.from(chunks).toArray())
}

function aFile(body: StreamedBody) {
  return { name: 'file', fileName: 'file.png', mimeType: 'image/png', body }
}

test('a form has its texts and its file, and the length it says', async () => {
  const description = 'Zwei Zeilen:\r\n„ä“; name="x"\r\n--🎉'
  const { contentType, body } = multipart(
    { description, focus: '0,0' },
    aFile({ length: 6, chunks: pieces('abc', 'def') }),
  )
  const bytes = await read(body)
  expect(bytes.length).toBe(body.length)
  const headers = { 'content-type': contentType }
  const form = await new Response(new Uint8Array(bytes), { headers }).formData()
  expect([...form.keys()]).toEqual(['description', 'focus', 'file'])
  expect(form.get('description')).toBe(description)
  const file = form.get('file') as File
  expect({ name: file.name, type: file.type, text: await file.text() }).toEqual({
    name: 'file.png',
    type: 'image/png',
    text: 'abcdef',
  })
})

test('a form without texts, of an empty file, is one too', async () => {
  const { contentType, body } = multipart({}, aFile({ length: 0, chunks: pieces() }))
  const headers = { 'content-type': contentType }
  const form = await new Response(new Uint8Array(await read(body)), { headers }).formData()
  expect((form.get('file') as File).size).toBe(0)
})

test('the file is not read before the form is', () => {
  let isRead = false
  async function* chunks() {
    isRead = true
    yield Buffer.from('abc')
  }
  expect(multipart({}, aFile({ length: 3, chunks: chunks() })).body.length).toBeGreaterThan(3)
  expect(isRead).toBe(false)
})

test('a form of several files has them in their order, and the length it says', async () => {
  const files = ['one', 'two', ''].map((text, index) => ({
    ...aFile({ length: text.length, chunks: pieces(text) }),
    name: `files[${index}]`,
  }))
  const { contentType, body } = multipart({ payload_json: '{}' }, ...files)
  const bytes = await read(body)
  expect(bytes.length).toBe(body.length)
  const headers = { 'content-type': contentType }
  const form = await new Response(new Uint8Array(bytes), { headers }).formData()
  expect([...form.keys()]).toEqual(['payload_json', 'files[0]', 'files[1]', 'files[2]'])
  expect(await (form.get('files[1]') as File).text()).toBe('two')
})

test('a form without files is one too', async () => {
  const { contentType, body } = multipart({ text: 'Hello' })
  const headers = { 'content-type': contentType }
  const form = await new Response(new Uint8Array(await read(body)), { headers }).formData()
  expect([...form.entries()]).toEqual([['text', 'Hello']])
})
