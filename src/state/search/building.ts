import type { Logger } from '../../process/logger.js'
import type { SearchStore } from '../store.js'

/** Milliseconds between two steps, and after a failed one. */
const PAUSE = 20
const REST = 5_000

/** Milliseconds until the full-text index is looked at again: one merge for many changes takes less than one for each. */
const ROUND = 30_000

/**
 * Keeps the search index in shape, a little at a time: builds that of documents from before an upgrade, of which there are
 * nearly always none, and merges what changes have added to it since. Returns a function that stops it.
 */
export function buildSearch(search: SearchStore, log: Logger): () => void {
  let timer: NodeJS.Timeout | undefined
  let isBuilding = false
  const next = (pause: number) => {
    timer = setTimeout(step, pause)
    timer.unref()
  }
  const build = async () => {
    const more = await search.buildSome()
    if (more !== isBuilding) log.info({}, more ? 'building the search index' : 'search index built')
    isBuilding = more
    return more
  }
  const work = async () => ((await build()) || (await search.mergeSome()) ? PAUSE : ROUND)
  const step = () =>
    void work()
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
