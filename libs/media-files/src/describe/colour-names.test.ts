import { expect, test } from 'vitest'
import { colouringOf, colourName } from './colour-names.ts'

test.each([
  ['#000000', 'black'],
  ['#0a0a0c', 'black'],
  ['#3c3c3c', 'dark grey'],
  ['#808080', 'grey'],
  ['#c8c8c8', 'light grey'],
  ['#fafafa', 'white'],
  ['#ff0000', 'red'],
  ['#800000', 'dark red'],
  ['#ff8c00', 'orange'],
  ['#8b4513', 'brown'],
  ['#d2b48c', 'beige'],
  ['#ffff00', 'yellow'],
  ['#808000', 'olive'],
  ['#228b22', 'green'],
  ['#006400', 'dark green'],
  ['#90ee90', 'light green'],
  ['#008080', 'teal'],
  ['#40e0d0', 'turquoise'],
  ['#87ceeb', 'light blue'],
  ['#0000ff', 'blue'],
  ['#4169e1', 'blue'],
  ['#000080', 'navy'],
  ['#800080', 'purple'],
  ['#b8a0e0', 'lavender'],
  ['#ff00ff', 'magenta'],
  ['#ffc0cb', 'pink'],
])('%s is called %s', (hex, name) => {
  const value = Number.parseInt(hex.slice(1), 16)
  expect(colourName(value >> 16, (value >> 8) & 0xff, value & 0xff)).toBe(name)
})

test('colours are named by their share, the largest first', () => {
  expect(colouringOf(pixels(['red', 30], ['blue', 70]))?.colours).toEqual(['blue', 'red'])
})

test('a colour with less than 15 of 100 parts is left out', () => {
  expect(colouringOf(pixels(['blue', 86], ['red', 14]))?.colours).toEqual(['blue'])
  expect(colouringOf(pixels(['blue', 85], ['red', 15]))?.colours).toEqual(['blue', 'red'])
})

test('at most three colours are named', () => {
  const four = pixels(['blue', 28], ['red', 26], ['white', 24], ['black', 22])
  expect(colouringOf(four)?.colours).toEqual(['blue', 'red', 'white'])
})

test('transparent pixels have no colour', () => {
  expect(colouringOf(pixels(['clear', 90], ['red', 10]))?.colours).toEqual(['red'])
  expect(colouringOf(pixels(['clear', 9]))).toBeNull()
  expect(colouringOf(new Uint8Array())).toBeNull()
})

test('lightness goes from 0 for black to 1 for white', () => {
  expect(colouringOf(pixels(['black', 1]))?.lightness).toBeCloseTo(0)
  expect(colouringOf(pixels(['white', 1]))?.lightness).toBeCloseTo(1)
  expect(colouringOf(pixels(['white', 1], ['black', 1]))?.lightness).toBeCloseTo(0.5)
})

const BYTES = {
  red: [217, 30, 24, 255],
  blue: [36, 87, 214, 255],
  white: [255, 255, 255, 255],
  black: [0, 0, 0, 255],
  clear: [0, 0, 0, 0],
}

function pixels(...parts: [keyof typeof BYTES, number][]): Uint8Array {
  return new Uint8Array(parts.flatMap(([colour, n]) => Array(n).fill(BYTES[colour]).flat()))
}
