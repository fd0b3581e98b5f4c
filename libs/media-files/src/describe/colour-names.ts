/** The colours that are told apart, each by one typical shade. */
const SHADES = {
  black: 0x000000,
  'dark grey': 0x454545,
  grey: 0x808080,
  'light grey': 0xc4c4c4,
  white: 0xffffff,
  red: 0xd91e18,
  'dark red': 0x7d1414,
  orange: 0xf58a1f,
  brown: 0x7a4a21,
  beige: 0xe3d3ae,
  yellow: 0xfae01e,
  olive: 0x78781e,
  green: 0x2e9e3a,
  'dark green': 0x14521e,
  'light green': 0x96e08c,
  teal: 0x0b7d7d,
  turquoise: 0x40d6cc,
  'light blue': 0x8cc8f0,
  blue: 0x2457d6,
  navy: 0x141e55,
  purple: 0x7828a0,
  lavender: 0xc3aae6,
  magenta: 0xe01ec8,
  pink: 0xf7a3bf,
} as const

export type ColourName = keyof typeof SHADES

/** A colour has a real share of a picture from this part of it on. */
const REAL_SHARE = 0.15
const MAX_COLOURS = 3
/** A pixel that lets more through than it shows has no colour of its own. */
const MIN_ALPHA = 128

type Lab = readonly [lightness: number, a: number, b: number]

const NAMED = (Object.keys(SHADES) as ColourName[]).map((name) => ({
  name,
  lab: labOf(SHADES[name] >> 16, (SHADES[name] >> 8) & 0xff, SHADES[name] & 0xff),
}))

export type Colouring = {
  /** The colours with a real share, the largest first. */
  colours: ColourName[]
  /** How light the picture is on the whole, from 0 for black to 1 for white. */
  lightness: number
}

/** Names the colours of a picture from its pixels, four bytes each: red, green, blue, alpha. Null when all is clear. */
export function colouringOf(pixels: Uint8Array): Colouring | null {
  const counts = new Map<ColourName, number>()
  let seen = 0
  let lightness = 0
  for (let at = 0; at + 3 < pixels.length; at += 4) {
    const [red = 0, green = 0, blue = 0, alpha = 0] = pixels.subarray(at, at + 4)
    if (alpha < MIN_ALPHA) continue
    const lab = labOf(red, green, blue)
    const name = nearestName(lab)
    counts.set(name, (counts.get(name) ?? 0) + 1)
    lightness += lab[0]
    seen += 1
  }
  if (seen === 0) return null
  const bySize = [...counts].toSorted(([, one], [, other]) => other - one)
  const real = bySize.filter(([, count]) => count / seen >= REAL_SHARE).slice(0, MAX_COLOURS)
  return { colours: real.map(([name]) => name), lightness: lightness / seen }
}

/** The name of one colour, given as bytes. */
export function colourName(red: number, green: number, blue: number): ColourName {
  return nearestName(labOf(red, green, blue))
}

function nearestName(lab: Lab): ColourName {
  let nearest: ColourName = 'grey'
  let least = Infinity
  for (const { name, lab: other } of NAMED) {
    const distance = distanceBetween(lab, other)
    if (distance < least) {
      least = distance
      nearest = name
    }
  }
  return nearest
}

/** Hue and saturation span less of the space than lightness does, and weigh twice for that. */
function distanceBetween(one: Lab, other: Lab): number {
  const lightness = one[0] - other[0]
  const a = 2 * (one[1] - other[1])
  const b = 2 * (one[2] - other[2])
  return lightness * lightness + a * a + b * b
}

/** sRGB bytes to Oklab (Björn Ottosson), in which equal distances look about equally different, blue included. */
function labOf(red: number, green: number, blue: number): Lab {
  const [r, g, b] = [linear(red), linear(green), linear(blue)]
  const long = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
  const medium = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
  const short = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
  return [
    0.2104542553 * long + 0.793617785 * medium - 0.0040720468 * short,
    1.9779984951 * long - 2.428592205 * medium + 0.4505937099 * short,
    0.0259040371 * long + 0.7827717662 * medium - 0.808675766 * short,
  ]
}

function linear(byte: number): number {
  const value = byte / 255
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
}
