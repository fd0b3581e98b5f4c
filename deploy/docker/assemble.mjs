// Lays out what one service needs at run time, in a build stage, after `npm ci` for its workspace:
//   node deploy/docker/assemble.mjs services/posts /image 1700000000
// Workspaces are links in node_modules; those that are there are the ones the service needs. The third argument is the
// time in seconds that every file gets, so that the same sources make the same image.
import { cpSync, existsSync, lutimesSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { realpathSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'

const [folder = '', target = '', epoch = '0'] = process.argv.slice(2)
const linked = readdirSync('node_modules/@herald').map((name) =>
  relative(process.cwd(), realpathSync(join('node_modules/@herald', name))),
)
if (!linked.includes(folder)) throw new Error(`${folder} is not installed here.`)

mkdirSync(target, { recursive: true })
const parts = [...linked, 'node_modules', 'deploy/docker/healthcheck.mjs']
// Services with a database migrate it from their own image, and any of them can provision NATS.
if (existsSync(`${folder}/src/migrate.ts`))
  parts.push('deploy/migrate', 'deploy/provision', 'deploy/nats/teams.ts')
for (const part of parts)
  cpSync(part, join(target, part), { recursive: true, verbatimSymlinks: true })
for (const part of linked) {
  const manifest = readJson(join(part, 'package.json'))
  delete manifest.devDependencies
  writeJson(join(target, part, 'package.json'), manifest)
}
if (!linked.includes('libs/telemetry')) throw new Error('A service without telemetry cannot start.')
const main = existsSync(`${folder}/src/main.ts`) ? 'src/main.ts' : 'src/cli/main.ts'
writeFileSync(join(target, 'main.ts'), `import './${folder}/${main}'\n`)
const { name, version, license } = readJson('package.json')
const root = { name, version, license, private: true, type: 'module', workspaces: linked }
writeJson(join(target, 'package.json'), root)
writeJson(join(target, 'sbom.cdx.json'), billOfMaterials())
setTimes(target)

/**
 * What is in the image besides Node and the base, as CycloneDX, and the same for each build. `npm sbom` refuses trees in
 * which an optional peer is of another version than asked for, so the list is read from what `npm ci` noted.
 */
function billOfMaterials() {
  const { packages } = readJson('node_modules/.package-lock.json')
  const components = Object.entries(packages)
    .filter(([path, { link }]) => !link && existsSync(path))
    .map(([path, found]) => componentOf(path, found))
  const timestamp = new Date(Number(epoch) * 1000).toISOString()
  const component = { type: 'application', name: readJson(`${folder}/package.json`).name, version }
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { timestamp, component },
    // One version in two folders is one component.
    components: [...new Map(components.map((found) => [found.purl, found])).values()],
  }
}

function componentOf(path, found) {
  const name = found.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
  const [algorithm = '', digest = ''] = (found.integrity ?? '').split('-')
  const content = Buffer.from(digest, 'base64').toString('hex')
  return {
    type: 'library',
    name,
    version: found.version,
    purl: `pkg:npm/${name.replace('@', '%40')}@${found.version}`,
    ...(content && { hashes: [{ alg: algorithm.replace('sha', 'SHA-'), content }] }),
    ...(found.license && { licenses: [{ license: { name: found.license } }] }),
  }
}

function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'))
}

function writeJson(path, value) {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`)
}

function setTimes(path) {
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const inside = join(path, entry.name)
    if (entry.isDirectory()) setTimes(inside)
    else lutimesSync(inside, Number(epoch), Number(epoch))
  }
  lutimesSync(path, Number(epoch), Number(epoch))
}
