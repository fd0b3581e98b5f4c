import { createHerald } from '@herald/client'
import { DeletedMedia, Media, MediaPage, media } from '@herald/contracts/media'
import { expect, test as base } from 'vitest'
import { type Cli, cli, words } from './cli-world.ts'
import { picture } from './files.ts'

const test = base.extend<{ cli: Cli }>({ cli })

const Usage = media.operations.usage.output

/** Uploads a picture of the demo organization. */
function upload({ stack: { run } }: Cli, fileName: string, altText: string): Promise<Media> {
  const herald = createHerald({ apiKey: run.demo.apiKey, baseUrl: `${run.apiUrl}/v1` })
  const data = new Uint8Array(picture(20, 10))
  return herald.media.uploadFile({ data, fileName, mimeType: 'image/png' }, { altText })
}

test('media list answers the page of files that was asked for', async ({ cli }) => {
  const org = cli.stack.run.demo.organizationId
  const older = await upload(cli, 'harbour.png', 'Ships')
  const newer = await upload(cli, 'hills.png', 'Green hills')
  const list = (...options: string[]) =>
    cli.json(MediaPage, ...words`media list --org ${org}`, ...options)
  const found = await list('--type', 'image', '--q', 'GREEN hills')
  expect(found.data.map(({ id }) => id)).toEqual([newer.id])
  expect((await list('--type', 'video')).data).toEqual([])
  const first = await list('--limit', '1')
  expect(first.data.map(({ id }) => id)).toEqual([newer.id])
  const second = await list('--limit', '1', '--cursor', first.nextCursor ?? '')
  expect(second.data.map(({ id }) => id)).toEqual([older.id])
})

test('media get and delete take an id, and usage tells the bytes that files take', async ({
  cli,
}) => {
  const org = cli.stack.run.demo.organizationId
  const usage = async () => (await cli.json(Usage, ...words`media usage --org ${org}`)).bytes
  const before = await usage()
  const { id, url, sizeBytes } = await upload(cli, 'harbour.png', 'Ships')
  expect((await usage()) - before).toBe(sizeBytes)
  const shown = await cli.json(Media, ...words`media get ${id} --org ${org}`)
  expect(shown).toMatchObject({ id, fileName: 'harbour.png', altText: 'Ships', url })
  const deleted = await cli.json(DeletedMedia, ...words`media delete ${id} --org ${org}`)
  expect(deleted).toEqual({ id, deleted: true })
  expect((await cli.run(...words`media get ${id} --org ${org}`)).stderr).toContain('not_found: ')
  expect(await usage()).toBe(before)
})

test('media for people: a file in a line, and where the list goes on', async ({ cli }) => {
  const org = cli.stack.run.demo.organizationId
  for (const name of ['one.png', 'two.png']) await upload(cli, name, 'A pattern')
  const { stdout } = await cli.run(...words`media list --org ${org} --limit 1`)
  expect(stdout).toMatch(/^med_\w+ +image +\d+ +\S+Z +two\.png\nMore with --cursor \S+\n$/)
  const usage = await cli.run(...words`media usage --org ${org}`)
  expect(usage.stdout).toMatch(/^\d+ bytes of 5368709120 \(5 GB\), 0\.0 %\.\n$/)
})

test('the media of another organization are not found', async ({ cli }) => {
  const { id } = await upload(cli, 'private.png', 'Ours')
  const other = await cli.run(...words`org create --name Other --plan PRO --json`)
  const org = JSON.parse(other.stdout).id as string
  for (const command of ['get', 'delete'])
    expect(await cli.run(...words`media ${command} ${id} --org ${org}`)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('not_found: '),
    })
  expect((await cli.json(MediaPage, ...words`media list --org ${org}`)).data).toEqual([])
})
