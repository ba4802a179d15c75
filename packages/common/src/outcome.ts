/** The outcome of a request to another system, as counted in the metrics. */
export type Outcome = 'ok' | 'failed' | 'timeout' | 'busy'
