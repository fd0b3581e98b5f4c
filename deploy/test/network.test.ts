import { BlockList } from 'node:net'
import { readdirSync, readFileSync } from 'node:fs'
import { isPublicAddress } from '@herald/safe-fetch/public-address'
import { describe, expect, test } from 'vitest'
import { helm, type KubernetesObject, ofKind, one, podSpecs, render } from './chart.ts'

type Peer = {
  podSelector?: { matchLabels: Record<string, string> }
  namespaceSelector?: object
  ipBlock?: { cidr: string; except?: string[] }
}
type Rule = { from?: Peer[]; to?: Peer[]; ports: { protocol: string; port: number }[] }
type Policy = {
  podSelector: { matchLabels: Record<string, string> }
  policyTypes: string[]
  ingress?: Rule[]
  egress?: Rule[]
}

const SERVICES = ['gateway', 'accounts', 'quota', 'channels', 'media', 'posts', 'publisher']
const COMPONENT = 'app.kubernetes.io/component'

/** Of each range that is not the internet, an address; and some that are. */
const ADDRESSES = [
  '0.0.0.1 10.1.2.3 100.64.0.1 127.0.0.1 168.63.129.16 169.254.169.254 172.16.0.1 172.31.255.255',
  '192.0.0.192 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.19.255.255 198.51.100.1',
  '203.0.113.1 224.0.0.1 255.255.255.255 ::1 fc00::1 fd00:ec2::254 fe80::1 ff02::1',
  '64:ff9b::a9fe:a9fe 2001::1 2001:db8::1 2002:a00:1::1 3fff::1',
  '1.1.1.1 93.184.216.34 172.32.0.1 100.128.0.1 198.20.0.1 192.1.0.1',
  '2606:4700:4700::1111 2a00:1450:4001::1 2003::1',
].flatMap((line) => line.split(' '))

describe.skipIf(!helm.isThere)(`the network of a release${helm.note}`, () => {
  test('is closed to every pod but for what a policy of its component opens', async () => {
    const objects = await render('everything-values.yaml', 'migrations.hooks=helm')
    const { matchLabels } = policy(objects, 'social-default-deny').podSelector
    expect(policy(objects, 'social-default-deny')).toEqual({
      podSelector: { matchLabels },
      policyTypes: ['Ingress', 'Egress'],
    })
    for (const { labels } of podSpecs(objects)) expect(labels).toMatchObject(matchLabels)
    for (const { spec } of ofKind(objects, 'NetworkPolicy'))
      expect((spec as Policy).policyTypes).toEqual(['Ingress', 'Egress'])
  })

  test.each(SERVICES)(
    'lets %s be called by those whose code calls it, and by nobody else',
    async (name) => {
      const { ingress = [] } = policy(await render('s3-values.yaml'), `release-herald-${name}`)
      const callers = ingress
        .filter(({ ports }) => ports[0]?.port === 4000)
        .flatMap(({ from = [] }) => from.map(componentOf))
      const expected = SERVICES.filter((caller) => callsOf(caller).includes(name))
      expect(callers.toSorted()).toEqual(expected.toSorted())
    },
  )

  test.each(SERVICES)('lets %s call those that its code calls, by either road', async (name) => {
    const objects = await render('s3-values.yaml')
    const expected = callsOf(name)
    const called = (policy(objects, `release-herald-${name}`).egress ?? [])
      .filter(({ ports }) => ports[0]?.port === 4000)
      .flatMap(({ to = [] }) => to.map(componentOf))
    expect(called.toSorted()).toEqual(expected)
    const [pod] = podSpecs([one(objects, 'Deployment', `release-herald-${name}`)])
    const roads =
      pod?.spec.containers[0]?.env?.find((env) => env.name === 'RPC_DIRECT')?.value ?? ''
    expect(roads.split(',').filter(Boolean).toSorted()).toEqual(
      expected.map((service) => `${service}=http://release-herald-${service}:4000`),
    )
  })

  test('lets only the publisher, media and channels out to the internet, by their ports', async () => {
    const objects = await render('everything-values.yaml', 'migrations.hooks=helm')
    const out = ofKind(objects, 'NetworkPolicy').flatMap(({ metadata, spec }) =>
      ((spec as Policy).egress ?? [])
        .filter(({ to = [] }) => to.some(({ ipBlock }) => allows(ipBlock, '93.184.216.34')))
        .map(({ ports }) => [metadata.name, ports.map(({ port }) => port)]),
    )
    expect(out).toEqual([
      ['social-channels', [443]],
      ['social-media', [80, 443]],
      ['social-publisher', [443]],
    ])
  })

  test.each(ADDRESSES)(
    'by the way to the internet %s is reached exactly if it is public',
    async (address) => {
      const { egress = [] } = policy(await render('s3-values.yaml'), 'release-herald-channels')
      const internet = egress.filter(({ ports }) => ports.some(({ port }) => port === 443))
      expect(internet.length).toBe(1)
      const isReached = internet
        .flatMap(({ to = [] }) => to)
        .some(({ ipBlock }) => allows(ipBlock, address))
      expect(isReached).toBe(isPublicAddress(address))
    },
  )

  test('keeps ranges that the operator owns out of the internet', async () => {
    const { egress = [] } = policy(await render('everything-values.yaml'), 'social-media')
    const peers = egress.filter(({ ports }) => ports.length === 2 && ports[0]?.port === 80)
    const isReached = (address: string) =>
      peers.flatMap(({ to = [] }) => to).some(({ ipBlock }) => allows(ipBlock, address))
    expect(['192.88.98.7', '2a00:1450::7'].filter(isReached)).toEqual([])
    expect(['192.88.97.7', '2a00:1451::7'].filter(isReached).length).toBe(2)
  })

  test('lets strangers in at the API and at files alone, and only from where it is said', async () => {
    const objects = await render('everything-values.yaml')
    const from = [
      { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'gateways' } } },
    ]
    const open = ofKind(objects, 'NetworkPolicy').flatMap(({ metadata, spec }) =>
      ((spec as Policy).ingress ?? [])
        .filter((rule) => JSON.stringify(rule.from) === JSON.stringify(from))
        .map(({ ports }) => [metadata.name, ports]),
    )
    expect(open).toEqual([
      ['social-gateway', [{ protocol: 'TCP', port: 8080 }]],
      ['social-media', [{ protocol: 'TCP', port: 8081 }]],
    ])
  })

  test('lets migrations reach Postgres and names, and nothing reach migrations', async () => {
    const objects = await render('s3-values.yaml')
    const { ingress, egress = [] } = policy(objects, 'release-herald-migrations')
    expect(ingress).toBeUndefined()
    expect(egress.flatMap(({ ports }) => ports.map(({ port }) => port))).toEqual([53, 53, 5432])
  })
})

function componentOf({ podSelector }: Peer): string {
  return podSelector?.matchLabels[COMPONENT] ?? ''
}

function policy(objects: KubernetesObject[], name: string): Policy {
  return one(objects, 'NetworkPolicy', name).spec as Policy
}

/** Whether an ipBlock lets an address through, as Kubernetes reads it. */
function allows(block: Peer['ipBlock'], address: string): boolean {
  if (!block) return false
  return isIn(block.cidr, address) && !(block.except ?? []).some((range) => isIn(range, address))
}

function isIn(range: string, address: string): boolean {
  const [base = '', bits] = range.split('/')
  const family = base.includes(':') ? 'ipv6' : 'ipv4'
  if (address.includes(':') !== (family === 'ipv6')) return false
  const list = new BlockList()
  list.addSubnet(base, Number(bits), family)
  return list.check(address, family)
}

/** The services that a service asks for a direct road, as its source says. */
function callsOf(service: string): string[] {
  const folder = new URL(`../../services/${service}/src/`, import.meta.url)
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(new URL(name, folder), 'utf8'))
  const calls = sources.flatMap((source) =>
    [...source.matchAll(/(?:direct\.get|\broad)\('([a-z]+)'\)/g)].map(([, called = '']) => called),
  )
  return [...new Set(calls)].toSorted()
}
