import type { StateStore } from '../../state/stores.js'
import type { Finding } from './files.js'

/** Warns of standbys that may lack acknowledged requests. */
export async function* replicationFindings({
  mayLoseWrites,
}: Pick<StateStore, 'mayLoseWrites'>): AsyncGenerator<Finding> {
  if (!(await mayLoseWrites())) return
  const advice =
    'its promotion loses the last acknowledged requests. See synchronous_standby_names and synchronous_commit'
  yield { ok: false, optional: true, text: `PostgreSQL: a standby follows asynchronously, so ${advice}` }
}
