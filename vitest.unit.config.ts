import config from './vitest.config.js'

const { globalSetup: _, setupFiles: __, ...shared } = config.test ?? {}

/** The tests beside the source, which need no fixtures: seconds instead of minutes. */
export default { ...config, test: { ...shared, include: ['packages/*/src/**/*.test.ts'] } }
