import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The files that take longest, longest first: a run is as long as its longest file where that comes last. vitest itself
 * remembers how long files took, but not in a fresh checkout.
 */
export const LONGEST = [
  'test/release.test.ts',
  'test/console/accessibility.test.ts',
  'test/bench.test.ts',
  'test/e2e/alerts.test.ts',
  'test/hosting/s3.test.ts',
  'test/fuzz.test.ts',
  'test/console/trouble.test.ts',
  'test/cli/people/commands.test.ts',
  'test/e2e/state-commands.test.ts',
  'test/torture.test.ts',
  'test/soak.test.ts',
  'test/e2e/ocean-py.test.ts',
  'test/e2e/lost-state.test.ts',
  'test/e2e/frozen-postgres.test.ts',
  'test/console/large-files.test.ts',
  'test/contributing.test.ts',
  'test/state/upgrades.test.ts',
  'test/e2e/streaming.test.ts',
  'test/hosting/s3-faults.test.ts',
  'test/orders/forgeries.test.ts',
  'test/cli/people/terminal.test.ts',
  'client/test/node/download-to-file.test.ts',
  'test/console/keyboard.test.ts',
  'test/e2e/stop-while-starting.test.ts',
  'test/assets/index/stale.test.ts',
  'test/http/ipfs-cost.test.ts',
  'test/dev/dev.test.ts',
  'test/chain/nodes.test.ts',
  'client/test/chain/hostile.test.ts',
  'test/e2e/leaks.test.ts',
  'test/dev/seed.test.ts',
  'test/deploy/install.test.ts',
  'test/orders/waiting.test.ts',
  'test/readme.test.ts',
  'test/docs-sessions.test.ts',
  'test/state/postgres.test.ts',
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
