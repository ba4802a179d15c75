import type { Reporter, TestModule } from 'vitest/node'

/** Ends a run with one plain line of counts, for programs that parse the output. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 }
    for (const module of modules) for (const test of module.children.allTests()) counts[test.result().state] += 1
    // a file whose hooks or imports failed has failed, even if none of its tests did
    const failedTest = (module: TestModule) => [...module.children.allTests('failed')].length > 0
    const broken = modules.filter((module) => !module.ok() && !failedTest(module)).length
    process.stdout.write(`\n${counts.passed} passed, ${counts.failed + broken} failed, ${counts.skipped} skipped\n`)
  }
}
