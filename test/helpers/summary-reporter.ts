import type { Reporter, TestModule, Vitest } from 'vitest/node'

/** In CI on Linux every tool can be installed (.ci/run), so a skipped test is a mistake. Other platforms lack some tools. */
const MUST_RUN_ALL = process.env.CI === 'true' && process.platform === 'linux'

/** Prints one plain line of counts at the end, for programs that parse the output. Fails a run in CI if a test was skipped. */
export default class SummaryReporter implements Reporter {
  private isFiltered = false

  onInit(vitest: Vitest): void {
    this.isFiltered = vitest.config.testNamePattern !== undefined
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const inState = (state: string) => tests.filter((test) => test.result().state === state)
    // a file whose hooks or imports failed has failed, even if none of its tests did
    const failedTest = (module: TestModule) => [...module.children.allTests('failed')].length > 0
    const broken = modules.filter((module) => !module.ok() && !failedTest(module)).length
    const [passed, failed, skipped] = [inState('passed').length, inState('failed').length + broken, inState('skipped')]
    if (MUST_RUN_ALL && !this.isFiltered && skipped.length > 0) {
      process.exitCode = 1
      const names = skipped.map((test) => `  ${test.module.relativeModuleId} > ${test.fullName}\n`)
      process.stdout.write(`\nskipped, which CI=true forbids:\n${names.join('')}`)
    }
    process.stdout.write(`\n${passed} passed, ${failed} failed, ${skipped.length} skipped\n`)
  }
}
