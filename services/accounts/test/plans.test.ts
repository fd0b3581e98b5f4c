import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Plan } from '@herald/contracts/accounts'
import { UNLIMITED } from '@herald/contracts/quota'
import { temporaryFolder } from '@herald/testing/temporary-folder'
import { describe, expect, test } from 'vitest'
import { loadPlans } from '../src/plans.ts'

const ONE = { apiAccess: true, requestsPerMinute: 1, requestsPerMonth: 2, postsPerMonth: 3 }

/** A file in which each plan is like this. */
function plansText(change: Record<string, unknown>): string {
  return JSON.stringify(
    Object.fromEntries(Plan.options.map((plan) => [plan, { ...ONE, ...change }])),
  )
}

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

  test('that come with Herald say what each may do', async () => {
    const plans = await loadPlans(undefined)
    const limits = Plan.options.map((plan) => Object.values(plans[plan]))
    expect(limits).toEqual([
      [false, 0, 0, 10],
      [true, 60, 10_000, 500],
      [true, 120, 50_000, 5_000],
      [true, 600, 1_000_000, UNLIMITED],
    ])
  })

  test('can be replaced by a file, where null is unlimited', async () => {
    const { FREE } = await loadText(plansText({ requestsPerMonth: null }))
    expect(FREE).toEqual({ ...ONE, requestsPerMonth: UNLIMITED })
  })

  test.each([
    '{',
    '{}',
    '{"FREE":{"apiAccess":"yes"}}',
    plansText({ apiAccess: 'yes' }),
    plansText({ postsPerMonth: undefined }),
    plansText({ postsPerMonth: -1 }),
    plansText({ postsPerMonth: 1.5 }),
    plansText({ postsPerMonth: UNLIMITED + 1 }),
    plansText({ requestsPerMinute: 0 }),
    plansText({ requestsPerMonth: 0 }),
    plansText({ requestsPerDay: 7 }),
  ])('in a file that is wrong (%s) stop the start with the name of the file', async (text) => {
    await expect(loadText(text)).rejects.toThrow(/plans\.json is not valid/)
  })

  test('in a file that is not there stop the start', async () => {
    await expect(loadPlans('/nowhere/plans.json')).rejects.toThrow(/plans\.json is not valid/)
  })
})
