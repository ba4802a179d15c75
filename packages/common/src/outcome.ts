/** The outcome of a request to another system, for metrics. */
export type Outcome = 'ok' | 'failed' | 'timeout' | 'busy'
