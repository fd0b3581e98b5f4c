import { loadConfig, serviceEnv } from '@herald/service/config'
import { describe, expect, test } from 'vitest'
import { type ComposeService, composeText, makeEnv, readCompose } from './compose.ts'
import { SCHEMAS, SERVICES, variablesOf } from './schemas.ts'

/** Who speaks with the world or with this machine. All others are on a network without a way out. */
const OUTSIDE = 'channels publisher media gateway versitygw sandbox grafana'.split(' ')
/** What all are given, whether they read it or not. */
const OF_ALL = [...Object.keys(serviceEnv), 'METRICS_PORT', 'OTEL_EXPORTER_OTLP_ENDPOINT']

const { settings, again } = makeEnv()
const compose = readCompose(settings)
const containers = Object.entries(compose.services)
const ofHerald = containers.filter(([, { image }]) => image.startsWith('herald-'))

describe('docker-compose.yml', () => {
  test.each(SERVICES)('gives %s settings that it knows and accepts', (name) => {
    const { environment = {} } = service(name)
    expect(() => loadConfig(SCHEMAS[name], environment)).not.toThrow()
    const known = [...variablesOf(name), ...OF_ALL]
    expect(Object.keys(environment).filter((variable) => !known.includes(variable))).toEqual([])
  })

  test.each(SERVICES.filter((name) => name !== 'gateway'))(
    'migrates the database of %s, which no other service is given, before it starts',
    (name) => {
      const migration = service(`${name}-migration`)
      expect(migration.image).toBe(service(name).image)
      expect(migration.command).toEqual(['deploy/migrate/main.ts', name])
      const { DATABASE_URL = '' } = service(name).environment ?? {}
      expect(new URL(DATABASE_URL).pathname).toBe(`/${name}`)
      expect(migration.environment).toMatchObject({ DATABASE_URL })
      expect(new URL(migration.environment?.['OWNER_DATABASE_URL'] ?? '').pathname).toBe(`/${name}`)
      expect(service(name).depends_on).toMatchObject({
        [`${name}-migration`]: { condition: 'service_completed_successfully' },
      })
    },
  )

  test('binds the API to all addresses, and what else is reachable to this machine', () => {
    for (const [name, { ports = [] }] of containers)
      for (const port of ports)
        expect(port).toMatch(
          name === 'gateway' ? /^0\.0\.0\.0:8080:8080$/ : /^127\.0\.0\.1:\d+:\d+$/,
        )
    const { ports } = readCompose({ ...settings, API_BIND: '127.0.0.1' }).services['gateway'] ?? {}
    expect(ports).toEqual(['127.0.0.1:8080:8080'])
  })

  test('leaves a way out only to those who need one', () => {
    expect(compose.networks['inside']).toEqual({ internal: true })
    const outside = containers.filter(([, { networks = ['default'] }]) =>
      networks.some((network) => network !== 'inside'),
    )
    expect(outside.map(([name]) => name).toSorted()).toEqual(OUTSIDE.toSorted())
    // A port is published on a network that is not internal, or not at all.
    for (const [name, { ports }] of containers) if (ports) expect(OUTSIDE).toContain(name)
  })

  test.each(ofHerald)(
    'runs %s without rights and on a file system that it cannot change',
    (_, it) => {
      expect(it).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      })
      expect(it).not.toHaveProperty('user')
      expect(it).not.toHaveProperty('privileged')
    },
  )

  test.each(['postgres', 'nats', 'versitygw'])(
    'gives %s no right that it can do without, and nothing to write to but its data',
    (name) => {
      const { cap_add: added = [], ...it } = service(name)
      expect(it).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      })
      const ownFolder = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'SETGID', 'SETUID']
      expect(added).toEqual(name === 'postgres' ? ownFolder : [])
    },
  )

  test('waits only for those whose health is checked', () => {
    for (const [name, { depends_on = {} }] of containers) {
      for (const [other, { condition }] of Object.entries(depends_on)) {
        const { image, healthcheck } = service(other)
        if (condition === 'service_completed_successfully') expect(other).not.toBe(name)
        // The images of Herald check themselves.
        else
          expect(healthcheck?.test ?? image).toEqual(healthcheck?.test ?? `herald-${other}:local`)
        if (condition === 'service_healthy') expect(healthcheck?.disable).toBeUndefined()
      }
    }
  })

  test('keeps what must last in volumes that it names', () => {
    const mounted = containers.flatMap(([, { volumes = [] }]) => volumes)
    const named = mounted.map((volume) => volume.split(':')[0] ?? '')
    const own = named.filter((name) => !name.startsWith('.'))
    expect(new Set(own)).toEqual(new Set(Object.keys(compose.volumes)))
    for (const name of ['postgres', 'nats', 'objects', 'objects-metadata'])
      expect(own).toContain(name)
  })

  test('gives the words after "docker compose run herald" to the command line', () => {
    expect(service('herald')['entrypoint']).toEqual(['/nodejs/bin/node', 'main.ts'])
    expect(service('herald').command).toBeUndefined()
  })

  test('starts no stand-in of a platform unless asked', () => {
    expect(service('sandbox').profiles).toEqual(['sandbox'])
    expect(service('demo').profiles).toEqual(['tools'])
    expect(service('channels').environment).toMatchObject({ ALLOW_PRIVATE_PLATFORM_URLS: 'false' })
    const { settings: trying } = makeEnv('--sandbox')
    expect(trying).toMatchObject({
      COMPOSE_PROFILES: 'sandbox',
      ALLOW_PRIVATE_PLATFORM_URLS: 'true',
    })
  })

  test('names every image by a version', () => {
    for (const [, { image }] of containers) expect(image).toMatch(/:(local|v?\d[\w.-]*)$/)
  })
})

describe('the secrets of containers', () => {
  test('are all made up by make-env.mjs, none is without use, and no start works without them', () => {
    const needed = [
      ...composeText.matchAll(/\$\{(\w+):\?run node deploy\/docker\/make-env\.mjs\}/g),
    ]
    const names = new Set(needed.map(([, name]) => name ?? ''))
    expect(Object.keys(settings).toSorted()).toEqual([...names].toSorted())
    for (const [, name = '', rest = ''] of composeText.matchAll(/\$\{(\w+)([^}]*)\}/g))
      if (/SECRET|PASSWORD|PEPPER|_KEY/.test(name)) expect(rest).not.toMatch(/:-./)
    expect(() => readCompose({})).toThrow('has no value')
  })

  test('are other ones each time, and stay once they are there', () => {
    const { settings: others } = makeEnv()
    for (const [name, value] of Object.entries(settings)) expect(others[name]).not.toBe(value)
    expect(again).toMatchObject({ code: 1, isSame: true })
    expect(again.said).toContain('stays as it is')
  })
})

function service(name: string): ComposeService {
  const found = compose.services[name]
  if (!found) throw new Error(`There is no ${name} in docker-compose.yml.`)
  return found
}
