import { laneOf } from './vitest.config.js'

/** The lane of sizes that take minutes (test/helpers/sizes.ts). */
export default laneOf('large', { LARGE_FILES: '1' })
