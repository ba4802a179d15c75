import { laneOf } from './vitest.config.js'

/** The lane of what stands beside the service: release, benchmarks, fuzzing, deployment, commands of the pages. */
export default laneOf('tools')
