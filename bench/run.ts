const BENCHES = [
  'admit',
  'admission',
  'append',
  'relay',
  'get-post',
  'create-post',
  'lateness',
  'fanout',
  'media',
  'rebuild',
  'rolling',
  'kill',
  'replicas',
]

const name = process.argv[2] ?? ''
if (BENCHES.includes(name)) await import(`./${name}.ts`)
else {
  console.error(`Usage: npm run bench -- ${BENCHES.join('|')}`)
  process.exitCode = 2
}
