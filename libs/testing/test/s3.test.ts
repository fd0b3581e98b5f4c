import { expect, test } from 'vitest'
import { testS3 } from '../src/s3.ts'

// The first call on a machine may build the server, which takes longer than a test may.
const one = await testS3({ ...process.env, S3_ENDPOINT: '' })

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

test.skipIf(typeof one === 'string')(
  'each call has a server of its own, which ends with it',
  async () => {
    const [first, second] = [one, await testS3({ ...process.env, S3_ENDPOINT: '' })]
    if (typeof first === 'string' || typeof second === 'string')
      throw new Error('There is no server.')
    const isUp = async (url: string) => (await fetch(url).catch(() => undefined)) !== undefined
    expect(first.endpoint).not.toBe(second.endpoint)
    expect(await isUp(second.endpoint)).toBe(true)
    await second[Symbol.asyncDispose]()
    expect(await isUp(second.endpoint)).toBe(false)
    expect(await isUp(first.endpoint)).toBe(true)
    await first[Symbol.asyncDispose]()
    expect(await isUp(first.endpoint)).toBe(false)
  },
)
