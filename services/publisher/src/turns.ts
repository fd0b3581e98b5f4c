import type { Platform } from '@herald/contracts/platforms'
import type { Pace } from '@herald/platforms/platform'
import type { Lane, SeenLane, Start } from './take-attempts.ts'

/**
 * Whose turn it is. Each platform has places of its own, so that one which hangs takes none of another's. On a platform
 * organizations take turns, and in an organization its accounts; an account has no more places than its pace.
 */
export type Turns = {
  /** The platforms that have a free place, and where the ring goes on. */
  starts: () => Start[]
  /** The lanes that are served next, each as often as there is a place for it. */
  choose: (seen: readonly SeenLane[]) => Lane[]
  /** An attempt of this lane has a place from now on, until `leave`. */
  enter: (lane: Lane) => void
  leave: (lane: Lane) => void
}

type Places = {
  pace: Pace
  taken: number
  takenBy: Map<string, number>
  /** The organization that was served last. */
  after: string
  /** The account of each organization that was served last. */
  served: Map<string, string>
}

/** More organizations than this begin with their first account again, which does no harm. */
const MOST_REMEMBERED = 10_000

/** Begins with all places free. */
export function createTurns(paces: Readonly<Partial<Record<Platform, Pace>>>): Turns {
  const all = new Map<string, Places>(
    Object.entries(paces).map(([platform, pace]) => [
      platform,
      { pace, taken: 0, takenBy: new Map(), after: '', served: new Map() },
    ]),
  )
  const change = ({ platform, channel_id }: Lane, by: number) => {
    const places = all.get(platform)
    if (!places) return
    const taken = (places.takenBy.get(channel_id) ?? 0) + by
    places.taken += by
    if (taken > 0) places.takenBy.set(channel_id, taken)
    else places.takenBy.delete(channel_id)
  }
  return {
    starts: () =>
      [...all]
        .filter(([, { taken, pace }]) => taken < pace.platform)
        .map(([platform, { after }]) => ({ platform: platform as Platform, after })),
    choose: (seen) =>
      [...Map.groupBy(seen, ({ platform }) => platform)].flatMap(([platform, lanes]) => {
        const places = all.get(platform)
        return places ? chooseOn(places, lanes) : []
      }),
    enter: (lane) => change(lane, 1),
    leave: (lane) => change(lane, -1),
  }
}

function chooseOn(places: Places, seen: readonly SeenLane[]): Lane[] {
  const { pace, takenBy, served } = places
  const placesOf = (lane: SeenLane): SeenLane[] =>
    Array(Math.max(0, pace.account - (takenBy.get(lane.channel_id) ?? 0))).fill(lane)
  const due = seen.filter(({ is_due }) => is_due)
  const organizations = [...Map.groupBy(due, (lane) => lane.organization_id)].map(
    ([organizationId, lanes]) =>
      roundRobin(fromBehind(served.get(organizationId) ?? '', lanes).map(placesOf)),
  )
  const chosen = roundRobin(organizations).slice(0, pace.platform - places.taken)
  // Where nobody could be served the ring goes on all the same, or what is behind would never be seen.
  places.after = (chosen.at(-1) ?? seen.at(-1))?.organization_id ?? ''
  if (served.size > MOST_REMEMBERED) served.clear()
  for (const { organization_id, channel_id } of chosen) served.set(organization_id, channel_id)
  return chosen
}

/** The lanes of an organization, those behind an account first. */
function fromBehind(channelId: string, lanes: readonly SeenLane[]): SeenLane[] {
  const isBehind = ({ channel_id }: SeenLane) => channel_id > channelId
  return [...lanes.filter(isBehind), ...lanes.filter((lane) => !isBehind(lane))]
}

/** The first of each, then the second of each, and so on. */
function roundRobin<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length))
  return Array.from({ length: longest }, (_, round) =>
    lists.flatMap((list) => list.slice(round, round + 1)),
  ).flat()
}
