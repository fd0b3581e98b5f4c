import { encodePng } from './encode-png.ts'

export const DEMO_WIDTH = 1600
export const DEMO_HEIGHT = 1200

type Colour = [red: number, green: number, blue: number]

const ZENITH: Colour = [38, 54, 110]
const HORIZON: Colour = [252, 168, 96]
const SUN: Colour = [255, 240, 190]
/** From the farthest hills to the nearest. */
const HILLS: { colour: Colour; base: number; height: number; wave: number; phase: number }[] = [
  { colour: [122, 98, 124], base: 0.62, height: 0.1, wave: 5, phase: 0.4 },
  { colour: [78, 66, 92], base: 0.71, height: 0.09, wave: 7, phase: 2.1 },
  { colour: [38, 40, 58], base: 0.82, height: 0.08, wave: 4, phase: 4.4 },
]

/**
 * Renders the picture of the demo, a sunset over hills, as a PNG of about 2 MB. Its grain is that of a photograph, so
 * it does not compress well, and a platform that takes less must be sent a smaller one.
 */
export function demoPicture(): Buffer {
  const random = grain(7)
  const rows = Buffer.alloc(DEMO_HEIGHT * (1 + DEMO_WIDTH * 3))
  let at = 0
  for (let row = 0; row < DEMO_HEIGHT; row++) {
    rows[at++] = 0 // This row is not filtered.
    for (let column = 0; column < DEMO_WIDTH; column++) {
      const noise = (random() - 0.5) * 14
      for (const part of colourAt(column / DEMO_WIDTH, row / DEMO_HEIGHT))
        rows[at++] = Math.max(0, Math.min(255, Math.round(part + noise)))
    }
  }
  return encodePng(DEMO_WIDTH, DEMO_HEIGHT, rows)
}

/** The colour at a place; both coordinates run from 0 to 1, from the top left. */
function colourAt(x: number, y: number): Colour {
  const hill = HILLS.findLast(
    ({ base, height, wave, phase }) =>
      y > base + height * (Math.sin(x * wave + phase) * 0.6 + Math.sin(x * wave * 3.1) * 0.25),
  )
  if (hill) return mix(hill.colour, [8, 10, 16], (y - hill.base) * 1.4)
  const distance = Math.hypot((x - 0.63) * (DEMO_WIDTH / DEMO_HEIGHT), y - 0.5)
  if (distance < 0.07) return SUN
  return mix(mix(ZENITH, HORIZON, y * 1.6), SUN, 0.12 / (distance + 0.12) - 0.25)
}

function mix(one: Colour, other: Colour, share: number): Colour {
  const part = Math.max(0, Math.min(1, share))
  const [red, green, blue] = one
  return [
    red + (other[0] - red) * part,
    green + (other[1] - green) * part,
    blue + (other[2] - blue) * part,
  ]
}

/** The same noise each time: a linear congruential generator. */
function grain(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
