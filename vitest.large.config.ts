import { configDefaults } from 'vitest/config'
import config, { withFixtures } from './vitest.config.js'

/** The lane of sizes that take minutes (test/helpers/sizes.ts). */
export default {
  ...config,
  test: {
    ...config.test,
    name: 'large',
    projects: undefined,
    include: ['{packages,test}/**/*.large.test.ts'],
    exclude: configDefaults.exclude,
    env: { LARGE_FILES: '1' },
    ...withFixtures,
  },
}
