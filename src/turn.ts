/**
 * Work that is done together, once in each turn of the event loop: the statements of a turn share a lock and a commit,
 * and its answers leave one after the other, so that whoever waits for them at the other end is woken once. First the
 * statements, then the answers: what the ones make possible leaves in the same turn.
 */
const queues = { statements: [] as (() => void)[], answers: [] as (() => void)[] }
let due = false
/** The connection of the last request, and how many requests have come over it without one of another in between. */
let last: object | undefined
let inARow = 0

/** From so many on, there is likely nobody else. */
const ALONE = 8

/** Does a piece of work at the end of this turn. */
export function atTurnEnd(queue: keyof typeof queues, work: () => void): void {
  queues[queue].push(work)
  schedule()
}

/** The same, but at once where there is nobody to share with: to wait for the end of the turn costs time as well. */
export function withOthers(queue: keyof typeof queues, work: () => void): void {
  if (inARow < ALONE) atTurnEnd(queue, work)
  else work()
}

/** Tells over which connection a request came. */
export function cameOver(connection: object): void {
  inARow = connection === last ? inARow + 1 : 0
  last = connection
}

function schedule(): void {
  if (due) return
  due = true
  setImmediate(run, 'statements')
  setImmediate(run, 'answers')
}

function run(queue: keyof typeof queues): void {
  const work = queues[queue]
  queues[queue] = []
  if (queue === 'answers') {
    // what comes from here on has a turn of its own, and so have statements that came between the two
    due = false
    if (queues.statements.length > 0) schedule()
  }
  for (const one of work) {
    try {
      one()
    } catch (error) {
      // as if it had been alone: the others are not kept from what is theirs
      process.nextTick(() => {
        throw error
      })
    }
  }
}
