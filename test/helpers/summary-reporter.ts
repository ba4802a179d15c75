import type { Reporter, TestModule } from 'vitest/node'

/** Ends a run with one plain line of counts, for programs that read the output. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 }
    for (const module of modules) for (const test of module.children.allTests()) counts[test.result().state] += 1
    const broken = modules.filter((module) => module.errors().length > 0).length
    process.stdout.write(`\n${counts.passed} passed, ${counts.failed + broken} failed, ${counts.skipped} skipped\n`)
  }
}
