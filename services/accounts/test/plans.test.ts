import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Plan } from '@herald/contracts/accounts'
import { temporaryFolder } from '@herald/testing/temporary-folder'
import { describe, expect, test } from 'vitest'
import { loadPlans } from '../src/plans.ts'

async function loadText(text: string) {
  using folder = temporaryFolder()
  const file = join(folder.path, 'plans.json')
  await writeFile(file, text)
  return await loadPlans(file)
}

describe('the plans', () => {
  test('that come with Herald cover every plan, and all but FREE may use the API', async () => {
    const plans = await loadPlans(undefined)
    expect(Object.keys(plans).toSorted()).toEqual(Plan.options.toSorted())
    expect(Plan.options.filter((plan) => !plans[plan].apiAccess)).toEqual(['FREE'])
  })

  test('can be replaced by a file', async () => {
    const all = Object.fromEntries(Plan.options.map((plan) => [plan, { apiAccess: true }]))
    expect((await loadText(JSON.stringify(all))).FREE.apiAccess).toBe(true)
  })

  test.each(['{', '{}', '{"FREE":{"apiAccess":"yes"}}'])(
    'in a file that is wrong (%s) stop the start with the name of the file',
    async (text) => {
      await expect(loadText(text)).rejects.toThrow(/plans\.json is not valid/)
    },
  )

  test('in a file that is not there stop the start', async () => {
    await expect(loadPlans('/nowhere/plans.json')).rejects.toThrow(/plans\.json is not valid/)
  })
})
