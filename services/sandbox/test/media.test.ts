import { describe, expect, test } from 'vitest'
import { png, type Sandbox, skeet, startSandbox, toot } from './sandbox.ts'

type Account = { account: string; headers: Record<string, string> }
const MP4 = Buffer.from('\0\0\0\x18ftypmp42'.padEnd(64, '\0'), 'latin1')

describe('media of Mastodon', () => {
  function upload(sandbox: Sandbox, { headers }: Account, bytes: Buffer, description?: string) {
    const body = new FormData()
    body.set('file', new Blob([new Uint8Array(bytes)]), 'file')
    if (description !== undefined) body.set('description', description)
    return sandbox.ask('POST', '/mastodon/api/v2/media', { headers, body })
  }

  test('an image is ready at once, and its status has it with its description', async () => {
    const sandbox = await startSandbox()
    const account = await sandbox.mastodon()
    const { status, body } = await upload(sandbox, account, png(640, 480), 'A boat')
    expect(status).toBe(200)
    expect(body).toMatchObject({ type: 'image', description: 'A boat', url: expect.any(String) })
    expect((await toot(sandbox, account, { status: '', media_ids: [body.id] })).status).toBe(200)
    const [post] = await sandbox.live()
    expect(post.media).toEqual([
      {
        mimeType: 'image/png',
        sizeBytes: 100,
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        width: 640,
        height: 480,
        altText: 'A boat',
      },
    ])
  })

  test('a video is processed first: 202 and 206, no status can have it, then 200', async () => {
    const sandbox = await startSandbox()
    const account = await sandbox.mastodon()
    // The clock of the sandbox runs on; processing takes longer than nothing, so it is asked for at once.
    const { status, body } = await upload(sandbox, account, MP4)
    expect([status, body.url]).toEqual([202, null])
    const early = await toot(sandbox, account, { status: 'x', media_ids: [body.id] })
    expect(early.status).toBe(422)
    expect(early.body.error).toMatch(/^Cannot attach files that have not finished processing/)
    await sandbox.advance(1)
    const path = `/mastodon/api/v1/media/${body.id}`
    expect((await sandbox.ask('GET', path, account)).status).toBe(200)
    expect((await toot(sandbox, account, { status: 'x', media_ids: [body.id] })).status).toBe(200)
    expect((await sandbox.ask('GET', path, account)).status).toBe(404)
  })

  test('four images are the most, and no video goes with an image', async () => {
    const sandbox = await startSandbox()
    const account = await sandbox.mastodon()
    const ids: string[] = []
    for (let index = 0; index < 5; index += 1)
      ids.push((await upload(sandbox, account, png(1, 1))).body.id)
    const five = await toot(sandbox, account, { status: 'x', media_ids: ids })
    expect([five.status, five.body.error]).toEqual([422, 'Cannot attach more than 4 files'])
    const video = (await upload(sandbox, account, MP4)).body.id
    const mixed = await toot(sandbox, account, { status: 'x', media_ids: [ids[0], video] })
    expect(mixed.body.error).toBe('Cannot attach a video to a post that already contains images')
    expect((await toot(sandbox, account, { status: 'x', media_ids: ids.slice(0, 4) })).status).toBe(
      200,
    )
    const again = await toot(sandbox, account, { status: 'x', media_ids: [ids[0]] })
    expect(again.status).toBe(422)
  })

  test('an image of 16 MiB is taken, one byte more is not', async () => {
    const sandbox = await startSandbox()
    const account = await sandbox.mastodon()
    expect((await upload(sandbox, account, png(1, 1, 16_777_216))).status).toBe(200)
    expect((await upload(sandbox, account, png(1, 1, 16_777_217))).status).toBe(422)
  })

  test('a description has 1500 characters at most', async () => {
    const sandbox = await startSandbox()
    const account = await sandbox.mastodon()
    expect((await upload(sandbox, account, png(1, 1), 'a'.repeat(1500))).status).toBe(200)
    expect((await upload(sandbox, account, png(1, 1), 'a'.repeat(1501))).status).toBe(422)
  })

  test('a file of an unknown kind and a form without a file are refused', async () => {
    const sandbox = await startSandbox()
    const account = await sandbox.mastodon()
    expect((await upload(sandbox, account, Buffer.from('plain text'))).status).toBe(422)
    const body = new FormData()
    body.set('description', 'nothing')
    const reply = await sandbox.ask('POST', '/mastodon/api/v2/media', {
      headers: account.headers,
      body,
    })
    expect(reply.body).toEqual({ error: "Validation failed: File can't be blank" })
  })

  test('of another account cannot be attached', async () => {
    const sandbox = await startSandbox()
    const { body } = await upload(sandbox, await sandbox.mastodon(), png(1, 1))
    const reply = await toot(sandbox, await sandbox.mastodon(), {
      status: 'x',
      media_ids: [body.id],
    })
    expect(reply.status).toBe(422)
  })
})

describe('blobs of Bluesky', () => {
  const upload = async (sandbox: Sandbox, { headers }: Account, bytes: Buffer) =>
    (
      await sandbox.ask('POST', '/bluesky/xrpc/com.atproto.repo.uploadBlob', {
        headers: { ...headers, 'content-type': 'image/png' },
        body: bytes,
      })
    ).body.blob
  const images = (blobs: unknown[]) => ({
    $type: 'app.bsky.embed.images',
    images: blobs.map((image) => ({ image, alt: 'A boat' })),
  })

  test('an image that was uploaded is live with the post', async () => {
    const sandbox = await startSandbox()
    const account = await sandbox.bluesky()
    const blob = await upload(sandbox, account, png(640, 480))
    expect(blob).toMatchObject({ $type: 'blob', mimeType: 'image/png', size: 100 })
    expect((await skeet(sandbox, account, { text: '', embed: images([blob]) })).status).toBe(200)
    const [post] = await sandbox.live()
    expect(post.media).toMatchObject([
      { mimeType: 'image/png', width: 640, height: 480, altText: 'A boat' },
    ])
  })

  test('that were never uploaded, or by somebody else, are not found', async () => {
    const sandbox = await startSandbox()
    const [one, other] = [await sandbox.bluesky(), await sandbox.bluesky()]
    const blob = await upload(sandbox, other, png(1, 1))
    const { status, body } = await skeet(sandbox, one, { text: 'x', embed: images([blob]) })
    expect([status, body.error]).toEqual([400, 'BlobNotFound'])
    expect(await sandbox.live()).toEqual([])
  })

  test('an image of 1,000,000 bytes is taken, one byte more is not', async () => {
    const sandbox = await startSandbox()
    const account = await sandbox.bluesky()
    const most = await upload(sandbox, account, png(1, 1, 1_000_000))
    const more = await upload(sandbox, account, png(1, 1, 1_000_001))
    expect((await skeet(sandbox, account, { text: 'x', embed: images([most]) })).status).toBe(200)
    expect((await skeet(sandbox, account, { text: 'x', embed: images([more]) })).status).toBe(400)
  })

  test('four images are taken, five are not', async () => {
    const sandbox = await startSandbox()
    const account = await sandbox.bluesky()
    const blob = await upload(sandbox, account, png(1, 1))
    const post = (count: number) =>
      skeet(sandbox, account, { text: 'x', embed: images(Array(count).fill(blob)) })
    expect((await post(4)).status).toBe(200)
    const five = await post(5)
    expect(five.status).toBe(400)
    expect(five.body.message).toContain('array too big (maximum 4, got 5)')
  })
})
