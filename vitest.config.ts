import { availableParallelism, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import { configDefaults, defineConfig } from 'vitest/config'

const client = (path: string) => fileURLToPath(new URL(`packages/client/src/${path}`, import.meta.url))

/** Shared fixtures, and an end to processes that a test leaves. */
const withFixtures = {
  globalSetup: './test/helpers/global-setup.ts',
  setupFiles: './test/helpers/setup.ts',
}

const config = defineConfig({
  // the source of the workspace, not what was built of it
  resolve: {
    alias: {
      '@tidegate/client/node': client('node/index.ts'),
      '@tidegate/client': client('index.ts'),
    },
  },
  test: {
    // these have lanes of their own: vitest.large.config.ts, vitest.tools.config.ts
    exclude: [...configDefaults.exclude, '**/*.{large,tools}.test.ts'],
    projects: [
      // one group after the other: a process ends where the next file belongs to another project, and each compiles its modules for
      // itself
      {
        extends: true,
        test: { name: 'unit', include: ['packages/*/src/**/*.test.ts'], sequence: { groupOrder: 1 } },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: ['packages/*/test/**/*.test.ts', 'test/**/*.test.ts'],
          sequence: { groupOrder: 0 },
          ...withFixtures,
        },
      },
    ],
    pool: 'forks',
    // a process runs many files, one after the other: to load and warm up all modules for each is half of a run's work
    isolate: false,
    // files wait half of their time for deadlines and other processes: more workers than there are cores. But each loads and warms
    // up the modules for itself, and takes up to two gigabytes with what it starts
    maxWorkers: Math.max(2, Math.min(availableParallelism() + 3, Math.floor(totalmem() / 2e9))),
    // megabytes: fewer collections of what is short-lived
    execArgv: ['--min-semi-space-size=32', '--max-semi-space-size=64'],
    // these only end what hangs: how long anything takes is a matter of the machine
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 240_000 } },
    // of this process alone: what runs in processes and threads that tests start is not counted
    coverage: {
      include: ['packages/*/src/**'],
      reporter: ['text-summary', 'html', 'json-summary'],
      reportOnFailure: true,
      // a little below what a whole run reaches (CONTRIBUTING.md), since a few lines run only under load
      thresholds: { lines: 92, branches: 84 },
    },
    reporters: ['default', './test/helpers/summary-reporter.ts'],
  },
})

export default config

/** Returns the configuration of another lane: it runs the files `*.NAME.test.ts`, which `npm test` leaves out. */
export function laneOf(name: string, env: Record<string, string> = {}): typeof config {
  const include = [`{packages,test}/**/*.${name}.test.ts`]
  const { projects: _, ...shared } = config.test ?? {}
  return { ...config, test: { ...shared, name, include, exclude: configDefaults.exclude, env, ...withFixtures } }
}
