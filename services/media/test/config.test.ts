import { loadConfig } from '@herald/service/config'
import { describe, expect, test } from 'vitest'
import { MediaEnv } from '../src/config.ts'

const ENV = {
  NATS_URL: 'nats://127.0.0.1:4222',
  RPC_SECRET: 'r'.repeat(44),
  DATABASE_URL: 'postgres://127.0.0.1/media',
  STORAGE: 'disk',
  STORAGE_DIR: '/var/lib/herald',
  STORAGE_SIGNING_KEY: 's'.repeat(44),
}
const S3 = {
  STORAGE: 's3',
  S3_ENDPOINT: 'http://s3:7070/',
  S3_ACCESS_KEY: 'access',
  S3_SECRET_KEY: 'secret',
}

describe('the settings', () => {
  test('are safe where they are not given', () => {
    expect(loadConfig(MediaEnv, ENV)).toMatchObject({
      ALLOW_PRIVATE_IMPORTS: false,
      IMPORT_PORTS: [80, 443],
      FILES_HOST: '127.0.0.1',
      MAX_STORED_BYTES: 5 * 1024 ** 3,
      UPLOAD_WINDOW_SECONDS: 900,
    })
  })

  test('of a store name it without a slash at the end', () => {
    expect(loadConfig(MediaEnv, { ...ENV, ...S3 })).toMatchObject({ S3_ENDPOINT: 'http://s3:7070' })
  })

  test('make addresses of files plain ASCII, as platforms fetch them', () => {
    const FILES_PUBLIC_URL = 'https://Dateien.Bücher.example/größe/'
    expect(loadConfig(MediaEnv, { ...ENV, FILES_PUBLIC_URL })).toMatchObject({
      FILES_PUBLIC_URL: 'https://dateien.xn--bcher-kva.example/gr%C3%B6%C3%9Fe',
    })
  })

  test.each<[string, Record<string, string | undefined>]>([
    ['ALLOW_PRIVATE_IMPORTS', { NODE_ENV: 'production', ALLOW_PRIVATE_IMPORTS: 'true' }],
    ['ALLOW_PRIVATE_IMPORTS', { ALLOW_PRIVATE_IMPORTS: 'yes' }],
    ['STORAGE', { STORAGE: undefined }],
    ['STORAGE_DIR', { STORAGE_DIR: undefined }],
    ['STORAGE_SIGNING_KEY', { STORAGE_SIGNING_KEY: undefined }],
    ['STORAGE_SIGNING_KEY', { STORAGE_SIGNING_KEY: 'short' }],
    ['S3_ENDPOINT', { ...S3, S3_ENDPOINT: undefined }],
    ['S3_ENDPOINT', { ...S3, S3_ENDPOINT: 'ftp://s3' }],
    ['S3_ACCESS_KEY', { ...S3, S3_ACCESS_KEY: undefined }],
    ['S3_SECRET_KEY', { ...S3, S3_SECRET_KEY: undefined }],
    ['IMPORT_PORTS', { IMPORT_PORTS: '80,http' }],
    ['IMPORT_PORTS', { IMPORT_PORTS: '' }],
    ['MEDIA_WORKERS', { MEDIA_WORKERS: '0' }],
    ['MAX_STORED_BYTES', { MAX_STORED_BYTES: '-1' }],
    ['FILES_PORT', { FILES_PORT: '65536' }],
  ])('are refused for %s when %j is given', (name, change) => {
    expect(() => loadConfig(MediaEnv, { ...ENV, ...change })).toThrow(name)
  })

  test('allow private imports outside of production', () => {
    const config = loadConfig(MediaEnv, { ...ENV, ALLOW_PRIVATE_IMPORTS: 'true' })
    expect(config.ALLOW_PRIVATE_IMPORTS).toBe(true)
  })
})
