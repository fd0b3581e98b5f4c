import { expect, test } from 'vitest'
import { testS3 } from '../src/s3.ts'

test('S3_ENDPOINT and its companions name the server to use', async () => {
  const s3 = await testS3({
    S3_ENDPOINT: 'http://127.0.0.1:9000',
    S3_ACCESS_KEY: 'key',
    S3_SECRET_KEY: 'secret',
    S3_REGION: 'eu-west-1',
    S3_BUCKET: 'media',
  })
  expect(s3).toMatchObject({
    endpoint: 'http://127.0.0.1:9000',
    accessKey: 'key',
    secretKey: 'secret',
    region: 'eu-west-1',
    bucket: 'media',
  })
})

test('where no server is to be had the reason is answered', async () => {
  const env = { HERALD_VERSITYGW: '/no/such/program' }
  expect(await testS3(env)).toContain('HERALD_VERSITYGW is /no/such/program')
})

test('each call has a server of its own, which ends when it is disposed of', async ({ skip }) => {
  const [one, other] = [await testS3(), await testS3()]
  if (typeof one === 'string') return skip(one)
  if (typeof other === 'string') throw new Error(other)
  const isUp = async (url: string) => (await fetch(url).catch(() => undefined)) !== undefined
  await using kept = one
  expect(kept.endpoint).not.toBe(other.endpoint)
  expect(await isUp(other.endpoint)).toBe(true)
  await other[Symbol.asyncDispose]()
  expect(await isUp(other.endpoint)).toBe(false)
  expect(await isUp(kept.endpoint)).toBe(true)
})
