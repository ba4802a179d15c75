import type { RpcProxy } from '../../test/helpers/rpc-proxy.js'
import type { Fault } from './fault.js'

/** What a node that knows nothing says. */
const UNKNOWN = new Set(['eth_getBlockByNumber', 'eth_getTransactionReceipt', 'eth_getLogs', 'eth_call'])

const WAYS: Record<string, [about: string, on: (node: RpcProxy, head: number) => void, off: (node: RpcProxy) => void]> =
  {
    dead: [
      'closes every connection',
      (node) => {
        node.down = true
      },
      (node) => {
        node.down = false
      },
    ],
    silent: [
      'takes requests and says nothing',
      (node) => {
        node.silent = true
      },
      (node) => {
        node.silent = false
      },
    ],
    stalling: [
      'begins its answers, and says no more',
      (node) => {
        node.stalls = true
      },
      (node) => {
        node.stalls = false
      },
    ],
    lagging: [
      'knows no block of the last twenty',
      (node, head) => {
        node.lagsAt = Math.max(1, head - 20)
      },
      (node) => {
        node.lagsAt = undefined
      },
    ],
    refusing: [
      'answers with 429',
      (node) => {
        node.refuseEvery = 1
      },
      (node) => {
        node.refuseEvery = 0
      },
    ],
    null: [
      'answers with null',
      (node) => {
        node.lie = (method, truth) => (UNKNOWN.has(method) ? null : truth)
      },
      (node) => {
        node.lie = (_, truth) => truth
      },
    ],
  }

/** Faults of one node while another one is well, and of both. */
export const NODE_FAULTS: Fault[] = Object.entries(WAYS).flatMap(([way, [about, on, off]]) =>
  [1, 2].map((count): Fault => {
    return {
      name: count === 1 ? `first node ${way}` : `all nodes ${way}`,
      about: count === 1 ? `The first node ${about}; the second is well.` : `Each node ${about}.`,
      kind: 'node',
      spares: count === 1,
      async inject({ world }) {
        const nodes = world.nodes.slice(0, count)
        const head = await world.world.provider.getBlockNumber()
        for (const node of nodes) on(node, head)
        return () => nodes.forEach(off)
      },
    }
  }),
)
