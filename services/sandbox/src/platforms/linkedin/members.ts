import { type Answer, type Call, jsonAnswer } from '../../call.ts'
import { authenticate, requireScope } from './authenticate.ts'
import { refuse } from './refusals.ts'
import { ORGANIZATION, organizationOf, PERSON, type Site } from './site.ts'

/** `GET /v2/userinfo` */
export function showMember(site: Site, call: Call): Answer {
  const caller = authenticate(site, call)
  requireScope(caller, ['openid', 'profile'], 'userinfo.GET.NO_VERSION')
  const { id, username } = caller.member
  return jsonAnswer(200, {
    sub: id,
    name: username,
    given_name: username,
    locale: { country: 'US', language: 'en' },
    picture: `${site.baseUrl()}/pictures/person.png`,
  })
}

/** `GET /v2/organizationalEntityAcls?q=roleAssignee`: which pages the member has a role in. */
export function listRoles(site: Site, call: Call): Answer {
  const caller = authenticate(site, call)
  const scopes = ['rw_organization_admin', 'r_organization_admin']
  requireScope(caller, scopes, 'organizationalEntityAcls.FINDER-roleAssignee.NO_VERSION')
  if (call.query.get('q') !== 'roleAssignee')
    refuse(400, 'ILLEGAL_ARGUMENT', 'There is no such finder')
  const { id, name } = organizationOf(site, caller.member.id)
  const identifiers = [{ identifier: `${site.baseUrl()}/pictures/organization.png` }]
  const page = {
    localizedName: name,
    vanityName: name,
    logoV2: { 'original~': { elements: [{ identifiers }] } },
  }
  const isProjected = (call.query.get('projection') ?? '').includes('organizationalTarget~')
  const role = {
    role: 'ADMINISTRATOR',
    state: 'APPROVED',
    roleAssignee: `${PERSON}${caller.member.id}`,
    organizationalTarget: `${ORGANIZATION}${id}`,
    ...(isProjected && { 'organizationalTarget~': page }),
  }
  return jsonAnswer(200, { elements: [role], paging: { count: 10, start: 0, links: [] } })
}
