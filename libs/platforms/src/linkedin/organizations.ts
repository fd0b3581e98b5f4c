import { z } from 'zod'
import { webAddress } from '../addresses.ts'
import { ask } from '../ask.ts'
import { ConnectError, type HttpDeps, type Settings } from '../platform.ts'
import { readJson } from '../read-json.ts'
import { oneLine } from '../refusal.ts'
import { get } from './api.ts'
import { readLinkedinError } from './errors.ts'

const PROJECTION =
  '(elements*(role,organizationalTarget~(localizedName,vanityName,logoV2(original~:playableStreams))))'

/** Who may post to a page. */
const ROLES = ['ADMINISTRATOR', 'CONTENT_ADMIN', 'CONTENT_ADMINISTRATOR']

const Logo = z.object({
  'original~': z.object({
    elements: z.array(z.object({ identifiers: z.array(z.object({ identifier: z.string() })) })),
  }),
})
const Roles = z.object({
  elements: z.array(
    z.object({
      role: z.string().optional(),
      organizationalTarget: z.string(),
      'organizationalTarget~': z
        .object({
          localizedName: z.string().optional(),
          vanityName: z.string().optional(),
          logoV2: Logo.optional().catch(undefined),
        })
        .optional(),
    }),
  ),
})
type Role = z.infer<typeof Roles>['elements'][number]

/** The pages of organizations that the member of a token may post to. */
export async function readOrganizations(
  caller: { settings: Settings; token: string },
  otherwise: ConnectError['kind'],
  deps?: HttpDeps,
) {
  const query = { q: 'roleAssignee', state: 'APPROVED', count: '100', projection: PROJECTION }
  const { status, text } = await ask(
    'LinkedIn',
    get(caller, '/v2/organizationalEntityAcls', query),
    deps,
  )
  if (status === 401)
    throw new ConnectError('refused', 'LinkedIn does not accept this access token.')
  const roles = status === 200 ? readJson(Roles, text)?.elements : undefined
  if (!roles) {
    const said = oneLine(readLinkedinError(text).message ?? `status ${status}`)
    throw new ConnectError(otherwise, `LinkedIn does not list the pages of the member: ${said}`)
  }
  const pages = roles
    .filter(mayPost)
    .map((role) => [role.organizationalTarget, profileOf(role)] as const)
  // Who has two roles is listed twice.
  return [...new Map(pages).values()]
}

function mayPost({ role, organizationalTarget }: Role): boolean {
  const isPage = /^urn:li:organization:\d+$/.test(organizationalTarget)
  return isPage && (role === undefined || ROLES.includes(role))
}

function profileOf({ organizationalTarget: account, 'organizationalTarget~': page }: Role) {
  const name = page?.localizedName?.trim() || page?.vanityName || account
  const logo = page?.logoV2?.['original~'].elements[0]?.identifiers[0]?.identifier
  return { account, name, username: page?.vanityName || name, avatarUrl: webAddress(logo) }
}
