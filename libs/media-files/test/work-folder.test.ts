import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@herald/testing/temporary-folder'
import { expect, test } from 'vitest'
import { makeWorkFolder, removeDeadWorkFolders, withWorkFolder } from '../src/work-folder.ts'

test('a folder is gone with all it holds after the work, also after work that failed', async () => {
  using parent = temporaryFolder()
  const folders = { parent: parent.path, service: 'media' }
  const failing = withWorkFolder(folders, async (folder) => {
    writeFileSync(join(folder, 'file'), 'bytes')
    throw new Error('It failed.')
  })
  await expect(failing).rejects.toThrow('It failed.')
  expect(readdirSync(parent.path)).toEqual([])
})

test('what dead processes of the service left is removed, and nothing else', async () => {
  using parent = temporaryFolder()
  const dead = spawnSync(process.execPath, ['-e', '']).pid
  const gone = [`herald-media-${dead}-a`, `herald-media-${process.pid}-b`]
  const kept = [
    `herald-media-${process.ppid}-c`,
    `herald-publisher-${dead}-d`,
    'herald-media',
    // Such a folder lends files to workers.
    'herald-media-YGj0QA',
    `herald-media-${dead}`,
    'x',
  ]
  for (const name of [...gone, ...kept]) mkdirSync(join(parent.path, name))
  await removeDeadWorkFolders({ parent: parent.path, service: 'media' })
  expect(readdirSync(parent.path).toSorted()).toEqual(kept.toSorted())
  expect(existsSync(await makeWorkFolder({ parent: parent.path, service: 'media' }))).toBe(true)
})
