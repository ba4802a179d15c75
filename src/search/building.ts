import type { Logger } from '../process/logger.js'
import type { SearchStore } from '../state/store.js'

/** Milliseconds between two steps, and after a failed one. */
const PAUSE = 20
const REST = 5_000

/** Milliseconds until the full-text index is looked at again: one merge for many changes takes less than one for each. */
const ROUND = 30_000

/**
 * Keeps the search index in shape, a little at a time: builds that of documents from before an upgrade to a version with
 * search, of which at nearly every start there are none, and merges what changes have added to it since. Returns a function
 * that stops it.
 */
export function buildSearch(search: SearchStore, log: Logger): () => void {
  let timer: NodeJS.Timeout | undefined
  let [steps, isBuilt] = [0, false]
  const next = (pause: number) => {
    timer = setTimeout(step, pause)
    timer.unref()
  }
  const build = async () => {
    const more = await search.buildSome()
    if (more && steps++ === 0) log.info({}, 'documents of the index are being made findable')
    if (!more && steps > 0) log.info({}, 'documents of the index can be found')
    isBuilt = !more
    return PAUSE
  }
  const merge = async () => ((await search.mergeSome()) ? PAUSE : ROUND)
  const step = () =>
    void (isBuilt ? merge() : build())
      // the database has logged the reason
      .catch(() => REST)
      .then((pause) => {
        if (timer !== undefined) next(pause)
      })
  next(0)
  return () => {
    clearTimeout(timer)
    timer = undefined
  }
}
