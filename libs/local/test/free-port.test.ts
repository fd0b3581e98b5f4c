import { expect, test } from 'vitest'
import { freePorts } from '../src/free-port.ts'

test('the ports are different and all of them can be used', async () => {
  const ports = await freePorts(20)
  expect(new Set(ports).size).toBe(20)
  expect(ports.every((port) => port > 0 && port < 65_536)).toBe(true)
})
