import { spawnSync } from 'node:child_process'

// Formats last, because a corrected line may have another length.
for (const [program = '', ...args] of [['oxlint', '--type-aware', '--fix'], ['oxfmt']]) {
  const { status } = spawnSync(program, args, { stdio: 'inherit' })
  if (status !== 0) process.exitCode = 1
}
