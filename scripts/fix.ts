import { spawnSync } from 'node:child_process'

// Formats last, because a corrected line may have another length.
const STEPS = [
  ['node', 'services/gateway/src/openapi/write.ts'],
  ['node', 'scripts/write-settings.ts'],
  ['oxlint', '--type-aware', '--fix'],
  ['oxfmt'],
]
for (const [program = '', ...args] of STEPS) {
  const { status } = spawnSync(program, args, { stdio: 'inherit' })
  if (status !== 0) process.exitCode = 1
}
