import { runUntilSignal } from '@herald/service/shutdown'
import { start } from './start.ts'

await runUntilSignal(() => start(process.env))
