// `npm test`: every check, then every test (or those of the files named on the command line). The last line says
// `N passed, N failed`, where a check counts as one, and so does a test file that could not be run at all.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runChecks } from './check.ts'

type Report = {
  testResults: { status: string; assertionResults: { status: string }[] }[]
}

const checks = runChecks()
const tests = runTests(process.argv.slice(2))
const passed = checks.passed + tests.passed
const failed = checks.failed + tests.failed
process.stdout.write(`${passed} passed, ${failed} failed\n`)
process.exitCode = failed === 0 ? 0 : 1

function runTests(files: string[]): { passed: number; failed: number } {
  const folder = mkdtempSync(join(tmpdir(), 'herald-report-'))
  const reportFile = join(folder, 'report.json')
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`]
    const { status } = spawnSync('vitest', ['run', ...reporters, ...files], { stdio: 'inherit' })
    const counts = count(readReport(reportFile))
    // An error outside of any test fails the run without failing a test.
    return status !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function readReport(file: string): Report {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Report
  } catch {
    return { testResults: [] }
  }
}

function count(report: Report): { passed: number; failed: number } {
  const statuses = report.testResults.flatMap(({ status, assertionResults }) => {
    const ofTests = assertionResults.map((test) => test.status)
    return status === 'failed' && !ofTests.includes('failed') ? [...ofTests, 'failed'] : ofTests
  })
  const occurrences = (wanted: string) => statuses.filter((status) => status === wanted).length
  return { passed: occurrences('passed'), failed: occurrences('failed') }
}
