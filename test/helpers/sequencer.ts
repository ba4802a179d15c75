import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The files that take longest, longest first: a run is as long as its longest file where that comes last. vitest itself
 * remembers how long files took, but not in a fresh checkout.
 */
export const LONGEST = [
  'test/release.test.ts',
  'packages/console/test/browser/accessibility.test.ts',
  'test/bench.test.ts',
  'test/e2e/alerts.test.ts',
  'packages/client/test/chain/balanced.test.ts',
  'packages/cli/test/people/balanced.test.ts',
  'packages/hosting/test/s3.test.ts',
  'test/fuzz.test.ts',
  'packages/console/test/browser/trouble.test.ts',
  'packages/cli/test/people/commands.test.ts',
  'test/e2e/state-commands.test.ts',
  'test/e2e/state-backups.test.ts',
  'test/torture.test.ts',
  'test/soak.test.ts',
  'test/e2e/ocean-py.test.ts',
  'test/e2e/lost-state.test.ts',
  'test/e2e/frozen-postgres.test.ts',
  'packages/console/test/browser/large-files.test.ts',
  'test/contributing.test.ts',
  'packages/provider/test/state/upgrades.test.ts',
  'test/e2e/streaming.test.ts',
  'packages/hosting/test/s3-faults.test.ts',
  'packages/hosting/test/s3-memory.test.ts',
  'packages/provider/test/orders/forgeries.test.ts',
  'packages/provider/test/orders/attack-contracts.test.ts',
  'packages/cli/test/people/terminal.test.ts',
  'packages/client/test/node/download-to-file.test.ts',
  'packages/console/test/browser/keyboard.test.ts',
  'test/e2e/stop-while-starting.test.ts',
  'packages/catalog/test/index/stale.test.ts',
  'packages/provider/test/http/ipfs-cost.test.ts',
  'packages/dev-network/test/dev.test.ts',
  'packages/chain/test/nodes.test.ts',
  'packages/client/test/chain/hostile.test.ts',
  'packages/client/test/chain/moving.test.ts',
  'packages/console/test/browser/balanced.test.ts',
  'test/e2e/leaks.test.ts',
  'packages/dev-network/test/seed.test.ts',
  'test/deploy/install.test.ts',
  'packages/provider/test/orders/waiting.test.ts',
  'test/readme.test.ts',
  'test/docs-sessions.test.ts',
  'packages/catalog/test/store.test.ts',
  'packages/provider/test/state/store.test.ts',
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
