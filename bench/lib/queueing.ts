import { type Random, seeded } from '../../stress/torture/lib/random.js'

/** What one request takes, in seconds of one core. */
export interface Demand {
  /** Of an instance, which works with one thread. */
  service: number
  /** Of the database. */
  database: number
  /** Of the storage and of the load generator, one thread each; 0 where they run elsewhere. */
  storage: number
  load: number
  /** Whether it commits a write. */
  writes: boolean
}

/** A site: instances of one thread each, one database, clients who send a request when the one before is answered. */
export interface Site {
  instances: number
  clients: number
  /** Connections of each instance to the database. */
  connections: number
  /** Cores of everything together, or a core for each instance, and those of the database. */
  cores: { shared: number } | { database: number }
  /** Seconds from an instance to the database and back. */
  roundTrip: number
  /** Seconds that the database takes to make a write durable; all that have come meanwhile share the next time. */
  flush: number
}

export interface Simulated {
  /** Requests per second. */
  rate: number
  /** Milliseconds. */
  p99: number
  /** Cores of the database in use, on average. */
  databaseCores: number
  commitsPerFlush: number
  /** The most connections in use at once, of all instances. */
  connections: number
}

/** Seconds are drawn from this number of requests, of which the first fifth only fills the queues. */
const REQUESTS = 40_000

/**
 * Simulates a site, event by event: queues before each thread, the cores, the connections, and the log of the database.
 * CPU times are exponentially distributed; everything follows from the seed.
 */
export function simulate(site: Site, demand: Demand, seed = 1, requests = REQUESTS): Simulated {
  const clock = new Clock()
  const random = seeded(seed)
  const shared = 'shared' in site.cores ? new Cores(clock, site.cores.shared) : undefined
  const databaseCores = shared ?? new Cores(clock, 'database' in site.cores ? site.cores.database : 1)
  const ownCore = () => shared ?? new Cores(clock, 1)
  const [load, storage] = [new Thread(ownCore()), new Thread(ownCore())]
  const log = new WriteAheadLog(clock, site.flush)
  const connections = { inUse: 0, most: 0 }
  const instances = Array.from({ length: site.instances }, () => ({
    thread: new Thread(ownCore()),
    pool: new Pool(site.connections, connections),
  }))
  const draw = (mean: number) => exponential(random, mean)
  const latencies: number[] = []
  let [done, begun, busy] = [0, 0, 0]
  const warm = requests / 5

  function query(pool: Pool, next: () => void): void {
    pool.take(() =>
      clock.after(site.roundTrip / 2, () => {
        const seconds = draw(demand.database)
        if (done >= warm) busy += seconds
        databaseCores.run(seconds, () => {
          const answer = () =>
            clock.after(site.roundTrip / 2, () => {
              pool.giveBack()
              next()
            })
          if (demand.writes) log.commit(answer)
          else answer()
        })
      }),
    )
  }

  function request(at: number): void {
    const { thread, pool } = instances[at % instances.length] as (typeof instances)[0]
    const sent = clock.now
    const answered = () => {
      if (++done === Math.floor(warm)) begun = clock.now
      if (done > warm) latencies.push(clock.now - sent)
      if (done < requests) load.run(draw(demand.load), () => request(at))
    }
    thread.run(draw(demand.service / 2), () =>
      query(pool, () => storage.run(draw(demand.storage), () => thread.run(draw(demand.service / 2), answered))),
    )
  }

  for (let client = 0; client < site.clients; client++) load.run(draw(demand.load), () => request(client))
  clock.runUntil(() => done >= requests)
  const seconds = clock.now - begun
  latencies.sort((a, b) => a - b)
  return {
    rate: latencies.length / seconds,
    p99: 1000 * (latencies[Math.floor(latencies.length * 0.99)] as number),
    databaseCores: busy / seconds,
    commitsPerFlush: log.flushes === 0 ? 0 : log.commits / log.flushes,
    connections: connections.most,
  }
}

function exponential(random: Random, mean: number): number {
  return mean === 0 ? 0 : -mean * Math.log(1 - random.next())
}

/** Simulated time, in seconds: a binary heap of what happens when. */
class Clock {
  now = 0
  private readonly heap: { at: number; order: number; work: () => void }[] = []
  private order = 0

  after(seconds: number, work: () => void): void {
    const { heap } = this
    let child = heap.push({ at: this.now + seconds, order: this.order++, work }) - 1
    while (child > 0) {
      const parent = (child - 1) >> 1
      if (!this.swapIfLater(parent, child)) break
      child = parent
    }
  }

  runUntil(isOver: () => boolean): void {
    while (!isOver()) {
      const next = this.pop()
      if (!next) return
      this.now = next.at
      next.work()
    }
  }

  private pop() {
    const { heap } = this
    const first = heap[0]
    const last = heap.pop()
    if (!last || heap.length === 0) return first
    heap[0] = last
    for (let parent = 0; ; ) {
      const [left, right] = [2 * parent + 1, 2 * parent + 2]
      if (left >= heap.length) return first
      const child = right < heap.length && this.isLater(left, right) ? right : left
      if (!this.swapIfLater(parent, child)) return first
      parent = child
    }
  }

  private isLater(a: number, b: number): boolean {
    const [one, other] = [this.heap[a], this.heap[b]]
    if (!one || !other) return false
    return one.at > other.at || (one.at === other.at && one.order > other.order)
  }

  private swapIfLater(parent: number, child: number): boolean {
    if (!this.isLater(parent, child)) return false
    const { heap } = this
    ;[heap[parent], heap[child]] = [heap[child] as (typeof heap)[0], heap[parent] as (typeof heap)[0]]
    return true
  }
}

/** Cores, which take work in the order of arrival. */
class Cores {
  private readonly queue: { seconds: number; done: () => void }[] = []
  private first = 0

  constructor(
    private readonly clock: Clock,
    private free: number,
  ) {}

  run(seconds: number, done: () => void): void {
    if (seconds === 0) done()
    else {
      this.queue.push({ seconds, done })
      this.next()
    }
  }

  private next(): void {
    const work = this.queue[this.first]
    if (this.free === 0 || !work) return
    this.first += 1
    if (this.first === 1024) {
      this.queue.splice(0, this.first)
      this.first = 0
    }
    this.free -= 1
    this.clock.after(work.seconds, () => {
      this.free += 1
      work.done()
      this.next()
    })
  }
}

/** One thread: one piece of work at a time, on one of its cores. */
class Thread {
  private readonly queue: { seconds: number; done: () => void }[] = []
  private isBusy = false

  constructor(private readonly cores: Cores) {}

  run(seconds: number, done: () => void): void {
    this.queue.push({ seconds, done })
    this.next()
  }

  private next(): void {
    if (this.isBusy) return
    const work = this.queue.shift()
    if (!work) return
    this.isBusy = true
    this.cores.run(work.seconds, () => {
      this.isBusy = false
      work.done()
      this.next()
    })
  }
}

/** The connections of one instance. */
class Pool {
  private readonly queue: (() => void)[] = []

  constructor(
    private free: number,
    private readonly all: { inUse: number; most: number },
  ) {}

  take(work: () => void): void {
    if (this.free === 0) return void this.queue.push(work)
    this.free -= 1
    this.all.inUse += 1
    this.all.most = Math.max(this.all.most, this.all.inUse)
    work()
  }

  giveBack(): void {
    const next = this.queue.shift()
    if (next) next()
    else {
      this.free += 1
      this.all.inUse -= 1
    }
  }
}

/** The log of a database: one flush at a time makes all commits durable that came before it began. */
class WriteAheadLog {
  commits = 0
  flushes = 0
  private waiting: (() => void)[] = []
  private isFlushing = false

  constructor(
    private readonly clock: Clock,
    private readonly seconds: number,
  ) {}

  commit(done: () => void): void {
    this.commits += 1
    this.waiting.push(done)
    this.flush()
  }

  private flush(): void {
    if (this.isFlushing || this.waiting.length === 0) return
    this.isFlushing = true
    const batch = this.waiting
    this.waiting = []
    this.flushes += 1
    this.clock.after(this.seconds, () => {
      this.isFlushing = false
      for (const done of batch) done()
      this.flush()
    })
  }
}
