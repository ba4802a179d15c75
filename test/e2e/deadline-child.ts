// run with --expose-gc: says as JSON what deadlines do while garbage is collected, and what they leave behind
import { getEventListeners, once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createTidegate } from '@tidegate/client'
import { rpcClient } from '../../packages/chain/src/rpc/clients.js'
import { abortable } from '../../packages/common/src/abortable.js'
import { Deadline, withDeadline } from '../../packages/common/src/deadline.js'
import { Outbound } from '../../packages/common/src/outbound.js'
import { Lifetime } from '../../packages/provider/src/http/lifetime.js'

/** What the child says. */
export interface Said {
  /** How each wait ended, by its name. */
  ended: Record<string, string>
  /** Timers and listeners that many uses have left. */
  left: { timers: number; listeners: number }
}

const USES = 100_000
const TIME = 300
const collect = globalThis.gc as () => void

const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length

async function leftBy(uses: number): Promise<Said['left']> {
  const before = timers()
  const parent = new AbortController().signal
  for (let done = 0; done < uses; done += 100)
    await Promise.all(
      Array.from({ length: 100 }, (_, at) =>
        withDeadline({ milliseconds: 3_600_000, parent }, async () => {
          if (at % 2 === 0) throw new Error('failed')
        }).catch(() => undefined),
      ),
    )
  new Deadline({ milliseconds: 3_600_000, parent }).abort()
  for (let done = 0; done < uses; done++) {
    const request = new Lifetime()
    void request.deadline(3_600_000).signal
    request.end()
    void request.deadline(3_600_000).signal
  }
  return { timers: timers() - before, listeners: getEventListeners(parent, 'abort').length }
}

/** Starts a server that sends what `path` asks for: nothing, or the beginning of an answer and then a byte at a time. */
async function slowServer(): Promise<Server> {
  const server = createServer((request, response) => {
    if (!request.url?.startsWith('/trickle')) return
    response.writeHead(200, { 'content-type': 'application/json' }).write('{')
    const timer = setInterval(() => response.write(' '), TIME / 3)
    response.on('close', () => clearInterval(timer))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

const forever = () => new Promise<never>(() => undefined)
const nameOf = ({ code, name }: Error & { code?: unknown }) => (typeof code === 'string' ? code : name)

const collecting = setInterval(collect, 20)
const server = await slowServer()
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const outbound = new Outbound({ timeout: TIME, maxSize: 65_536 })
const waits: Record<string, () => Promise<unknown>> = {
  alone: () => withDeadline({ milliseconds: TIME }, (signal) => abortable(forever(), signal)),
  child: () =>
    withDeadline({ milliseconds: TIME }, (parent) =>
      withDeadline({ milliseconds: 3_600_000, parent }, (signal) => abortable(forever(), signal)),
    ),
  fetch: () => withDeadline({ milliseconds: TIME }, (signal) => fetch(url, { signal })),
  'body of fetch': () =>
    withDeadline({ milliseconds: TIME }, async (signal) => (await fetch(`${url}/trickle`, { signal })).text()),
  'outbound, a byte at a time': () => outbound.get(`${url}/trickle`),
  node: () => rpcClient(new URL(url), { timeout: TIME }).getChainId(),
  'node, a byte at a time': () => rpcClient(new URL(`${url}/trickle`), { timeout: TIME }).getChainId(),
  client: () => createTidegate({ url, timeout: TIME }).search(),
  'client, a byte at a time': () => createTidegate({ url: `${url}/trickle`, timeout: TIME }).search(),
}
const ended = await Promise.all(
  Object.entries(waits).map(async ([name, wait]) => [name, await wait().then(() => 'answered', nameOf)]),
)
clearInterval(collecting)
await outbound.close()
server.closeAllConnections()
server.close()
console.log(JSON.stringify({ ended: Object.fromEntries(ended), left: await leftBy(USES) } satisfies Said))
