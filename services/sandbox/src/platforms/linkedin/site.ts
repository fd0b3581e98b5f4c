import type { Part } from '../../ledger.ts'
import { openProvider, type Provider } from '../../oauth/provider.ts'
import { randomText } from '../../random-text.ts'
import type { World } from '../../stand-in.ts'
import {
  type Asset,
  type Event,
  openState,
  type Organization,
  type Post,
  type State,
} from './state.ts'

const DAY_SECONDS = 86_400

/** LinkedIn: its world, its state, its members and grants, and what its endpoints share. */
export type Site = World &
  Part<State, Event> & {
    provider: Provider
    /** Ids of posts grow and tell the time: the milliseconds since 1970 are in their upper bits. */
    newId: () => string
  }

export function openSite(world: World): Site {
  const part = openState(world.ledger)
  return {
    ...world,
    get state() {
      return part.state
    },
    record: part.record,
    newId: () => {
      const byTime = BigInt(world.now()) << 22n
      const next = part.state.lastId + 1n
      return String(byTime > next ? byTime : next)
    },
    provider: openProvider(world, {
      part: 'LINKEDIN-oauth',
      name: 'LinkedIn',
      authorizePath: '/oauth/v2/authorization',
      requiresPkce: false,
      codeSeconds: 1800,
      accessSeconds: 60 * DAY_SECONDS,
      refreshSeconds: 365 * DAY_SECONDS,
      rotates: false,
      newAccountId: () => randomText(8).replaceAll('-', '0'),
    }),
  }
}

export const PERSON = 'urn:li:person:'
export const ORGANIZATION = 'urn:li:organization:'

/** The page that a member administers; each has one, whose name is the member's with `page` at its end. */
export function organizationOf(site: Site, adminId: string): Organization {
  const existing = site.state.organizations.get(adminId)
  if (existing) return existing
  const name = `${site.provider.account(adminId)?.username ?? 'a'}page`
  const organization = { id: String(10_000_000 + site.state.organizations.size), adminId, name }
  site.record({ type: 'organization-made', organization })
  return organization
}

/** Whether a member may act as an author or owner. */
export function mayActAs(site: Site, memberId: string, urn: string): boolean {
  return (
    urn === `${PERSON}${memberId}` || urn === `${ORGANIZATION}${organizationOf(site, memberId).id}`
  )
}

export function assetsOf(site: Site, { media }: Post): (Asset & { altText: string | null })[] {
  return media.flatMap(({ urn, altText }) => {
    const asset = site.state.assets.get(urn)
    return asset ? [{ ...asset, altText }] : []
  })
}

export function fileUrl(site: Site, { urn }: Asset): string {
  return `${site.baseUrl()}/dms/${encodeURIComponent(urn)}`
}

export function postUrl(site: Site, { urn }: Post): string {
  return `${site.baseUrl()}/feed/update/${urn}/`
}
