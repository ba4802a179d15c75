import { execFile } from 'node:child_process'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Address } from 'viem'
import { afterEach, describe, expect, it } from 'vitest'
import { seeded } from '../../../../stress/torture/lib/random.js'
import { AT_ONCE, eventually } from '../../../../test/helpers/eventually.js'
import { HELD, measured } from '../../../../test/helpers/measured.js'
import { builtPrograms } from '../../../../test/helpers/programs.js'
import { deployment, foreignEvent, nftOf, ScriptedNode, stateChange } from '../../../../test/helpers/scripted-node.js'
import { catchUp } from './catch-up.js'
import type { CatchUpCost } from './catch-up-program.js'

const PROGRAM = 'packages/catalog/test/index/catch-up-program.ts'

let node: ScriptedNode
afterEach(() => node.close())

/** An asset in every hundredth block. */
const sparse = (first: number, last: number) => {
  const blocks = Array.from({ length: last - first + 1 }, (_, at) => first + at)
  return blocks.filter((block) => block % 100 === 0).map((block) => deployment(block, block / 100))
}
const sparseNfts = (head: number) => Array.from({ length: Math.floor(head / 100) }, (_, at) => nftOf(at + 1)).sort()

describe('ranges that are requested ahead', () => {
  it('are applied in order, in whatever order they come, and no more at once than are allowed', async () => {
    const head = 60_000
    node = await ScriptedNode.start(head, sparse)
    // each range waits until the one after it has been answered, or is not requested
    let waiting: (() => void)[] = []
    node.script = ({ body, response }) => {
      waiting.push(() => response.end(body))
      if (node.inFlight < 4 && waiting.length < 4) setTimeout(() => release(), 20)
      else release()
      return true
    }
    const release = () => {
      const all = waiting
      waiting = []
      for (const answer of all.reverse()) answer()
    }
    const { nfts, block } = await catchUp(node.url, 6)
    expect({ nfts, block }).toEqual({ nfts: sparseNfts(head), block: head })
    expect(node.most).toBeGreaterThan(1)
    expect(node.most).toBeLessThanOrEqual(6)
  })

  it('are not held up by one that is late, and share a commit where they have no events', async () => {
    const [head, ranges] = [36_064, 18]
    node = await ScriptedNode.start(head, () => [])
    let answered = 0
    let late: (() => void) | undefined
    node.script = ({ first, body, response }) => {
      if (first === 2001) late = () => response.end(body)
      else {
        response.end(body)
        // twice as many as may be in flight have come behind the late one
        if (first > 2001 && ++answered === 8) setTimeout(() => late?.(), 0)
      }
      return true
    }
    const { block, commits } = await catchUp(node.url, 4)
    expect(block).toBe(head)
    expect(node.most).toBeLessThanOrEqual(4)
    expect(commits).toBeLessThanOrEqual(ranges - 6)
  })

  it('come to the same index where the node fails in every way, and leave no request behind', async () => {
    const head = 60_000
    node = await ScriptedNode.start(head, sparse)
    const random = seeded(20_261_122)
    const faults = random.shuffled([...FAULTS, ...FAULTS])
    node.script = ({ body, response }) => {
      const fault = random.chance(0.5) && faults.pop()
      if (!fault) return false
      fault(response, body)
      return true
    }
    const { result, held } = await measured(() => catchUp(node.url, 8, 700))
    expect({ nfts: result.nfts, block: result.block }).toEqual({ nfts: sparseNfts(head), block: head })
    // each was there; whether a request or a whole step is tried again depends on the moment
    expect(faults).toEqual([])
    expect(held).toBeLessThan(HELD)
    await eventually(() => node.inFlight === 0)
  })

  it('are decoded while the last batch of the range before is written, of contracts that it deploys', async () => {
    const [head, ranges] = [16_064, 8]
    // deployed in the last block of a range, and changed in the first one of the next; what a stranger emits is looked for
    const events = (first: number, last: number) =>
      Array.from({ length: ranges }, (_, at) => [at, 2000 * (at + 1)] as const).flatMap(([at, block]) => [
        ...(block >= first && block <= last ? [foreignEvent(block, ranges + at, 1), deployment(block, at)] : []),
        ...(block + 1 >= first && block + 1 <= last ? [stateChange(block + 1, at, 1)] : []),
      ])
    node = await ScriptedNode.start(head, events)
    const states: Address[] = []
    const { failures, block, nfts } = await catchUp(node.url, 4, 60_000, async ({ to, changes }, lookUps) => {
      for (const change of changes) if (change.kind === 'state') states.push(change.nft)
      // until the next range is looked at, which is the one after so many
      if (to.block < 2000 * ranges) await eventually(() => lookUps() > to.block / 2000, AT_ONCE)
    })
    expect({ failures, block, nfts: nfts.length }).toEqual({ failures: 0, block: head, nfts: ranges })
    expect(states).toEqual(Array.from({ length: ranges }, (_, at) => nftOf(at)))
  })

  it.each([null, '0x', '0x12'])('end at the head of a node whose headers have %s as their parent', async (parent) => {
    node = await ScriptedNode.start(3000, sparse)
    node.parent = parent
    const { nfts, block } = await catchUp(node.url, 2)
    expect({ nfts, block }).toEqual({ nfts: sparseNfts(3000), block: 3000 })
  })

  it('are ended where the range before them fails, not left to the node', async () => {
    node = await ScriptedNode.start(60_000, sparse)
    const dripping = new Map<number, ServerResponse>()
    node.script = ({ first, response }) => {
      if (first < 10_000) return false
      // none of them ends; the first one breaks off once others are there
      dripping.set(first, response)
      response.write('[')
      const turn = dripping.get(Math.min(...dripping.keys()))
      if (dripping.size >= 4) turn?.destroy()
      return true
    }
    const caughtUp = catchUp(node.url, 4)
    await eventually(() => node.abandoned >= 4)
    node.script = () => false
    expect((await caughtUp).block).toBe(60_000)
    await eventually(() => node.inFlight === 0)
  })

  it.each([
    ['few large events', 7, 500_000],
    ['many small events', 3_000, 100],
  ])('hold one answer and what may wait, where %s follow a quiet stretch', async (_, events, bytes) => {
    const [quiet, head] = [30_000, 40_000]
    const dense = (first: number, last: number) => {
      if (last < quiet) return []
      // as many in the first block of each thousand
      const blocks = Array.from(
        { length: Math.floor(last / 1000) - Math.ceil(first / 1000) + 1 },
        (_, at) => (Math.ceil(first / 1000) + at) * 1000,
      )
      return blocks.flatMap((block) => Array.from({ length: events / 2 }, (_, at) => foreignEvent(block, at, bytes)))
    }
    node = await ScriptedNode.start(head, dense)
    const [one, eight] = [await cost(node.url, 1), await cost(node.url, 8)]
    expect([one.result.block, eight.result.block]).toEqual([head, head])
    // eight answers of 8 MiB may arrive at once, of which one is parsed at a time
    expect(eight.grown).toBeLessThan(one.grown + 128)
    expect(eight.held).toBeLessThan(200)
    expect(eight.descriptors).toBeLessThan(one.descriptors + 16)
  })
})

/** The arguments of node for the program, built once: from source each start takes several times as much work. */
let program: Promise<string[]> | undefined
async function built(): Promise<string[]> {
  const folder = await builtPrograms(`catch-up-${process.pid}`, [PROGRAM])
  return folder === undefined ? ['--import', 'tsx', PROGRAM] : [join(folder, 'catch-up-program.mjs')]
}

async function cost(url: string, concurrency: number): Promise<CatchUpCost> {
  program ??= built()
  const { stdout } = await promisify(execFile)(process.execPath, [...(await program), url, String(concurrency)])
  return JSON.parse(stdout) as CatchUpCost
}

/** Ways in which a node answers a request for events wrongly. */
const FAULTS: ((response: ServerResponse, body: string) => unknown)[] = [
  // it is gone, or gone in the middle
  (response) => response.destroy(),
  (response, body) => {
    response.writeHead(200, { 'content-length': body.length })
    response.write(body.slice(0, body.length / 2), () => response.destroy())
  },
  // it says nothing, or never ends
  () => undefined,
  (response) => endless(response),
  // it has other things to do
  (response) => response.writeHead(429).end('slow down'),
  (response) => response.writeHead(502).end('<html>'),
  // what it says is deep, no list, or a list of much and nothing
  (response) => response.end(`${'['.repeat(500_000)}${']'.repeat(500_000)}`),
  (response) => response.end('[{"id":1,"result":{"length":1e9}}]'),
  (response) => response.end(`[{"id":1,"result":[${'{},'.repeat(1_000_000)}{}]}]`),
  // events come twice, in another order, or from other blocks
  (response, body) => response.end(changed(body, (logs) => [...logs, ...logs])),
  (response, body) => response.end(changed(body, (logs) => logs.reverse())),
  (response, body) => response.end(changed(body, () => sparse(1, 5_000))),
]

/** Sends text faster than it is read, without an end. */
function endless(response: ServerResponse): void {
  const more = () => {
    while (!response.destroyed && response.write(' '.repeat(65_536)));
  }
  response.on('drain', more)
  more()
}

/** The answer with other logs. */
function changed(body: string, change: (logs: unknown[]) => unknown[]): string {
  const answers = JSON.parse(body) as { result: unknown } | { result: unknown }[]
  // a request that came to nothing is sent again alone
  const results = [answers]
    .flat()
    .map((one) => (Array.isArray(one.result) ? { ...one, result: change(one.result) } : one))
  return JSON.stringify(Array.isArray(answers) ? results : results[0])
}
