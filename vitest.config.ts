import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: [
      'libs/*/{src,test}/**/*.test.ts',
      'services/*/{src,test}/**/*.test.ts',
      'bench/**/*.test.ts',
      'docs/**/*.test.ts',
      'deploy/**/*.test.ts',
    ],
    globalSetup: ['libs/testing/src/global-setup.ts'],
    // Services parse what they answer, which production leaves to the types.
    env: { HERALD_CHECK_ANSWERS: '1' },
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Test files start servers and child processes, and some are killed: each file has a process of its own.
    pool: 'forks',
    maxWorkers: 2,
  },
})
