import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The files that take longest, longest first: a run is as long as its longest file where that comes last. vitest itself
 * remembers how long files took, but not in a fresh checkout.
 */
export const LONGEST = [
  'test/e2e/state-commands.test.ts',
  'test/e2e/streaming.test.ts',
  'test/fuzz.test.ts',
  'test/console/accessibility.test.ts',
  'test/cli/people/commands.test.ts',
  'test/e2e/index-file.test.ts',
  'test/state/upgrades.test.ts',
  'test/hosting/s3-faults.test.ts',
  'test/hosting/s3.test.ts',
  'test/e2e/rolling-restart.test.ts',
  'test/build.test.ts',
  'test/assets/index/read-ahead.test.ts',
  'test/bench.test.ts',
  'test/assets/index/crowded.test.ts',
  'test/e2e/alerts.test.ts',
  'test/e2e/frozen-postgres.test.ts',
  'test/torture.test.ts',
  'test/soak.test.ts',
  'test/e2e/moved-state.test.ts',
  'test/e2e/report.test.ts',
  'test/e2e/lost-state.test.ts',
  'test/e2e/anonymous-load.test.ts',
  'test/release.test.ts',
  'test/assets/index/resilience.test.ts',
  'test/e2e/leaks.test.ts',
  'test/e2e/kinds.test.ts',
  'test/dev/dev.test.ts',
  'test/console/trouble.test.ts',
  'test/console/large-files.test.ts',
  'test/console/keyboard.test.ts',
  'test/e2e/workers.test.ts',
  'test/legacy/import.test.ts',
  'test/e2e/ocean-py.test.ts',
  'test/http/validators.test.ts',
  'test/e2e/stop-while-starting.test.ts',
]

/** Begins with the longest files; the others come as vitest orders them. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}`))
      return at < 0 ? LONGEST.length : at
    }
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}
