import type { RpcProxy } from '../../../test/helpers/rpc-proxy.js'
import type { Fault, Place } from './fault.js'

/** Methods to which a node without data responds with null. */
const NULLABLE = new Set(['eth_getBlockByNumber', 'eth_getTransactionReceipt', 'eth_getLogs', 'eth_call'])

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
      'accepts requests and never responds',
      (node) => {
        node.silent = true
      },
      (node) => {
        node.silent = false
      },
    ],
    stalling: [
      'stalls in the middle of each response',
      (node) => {
        node.stalls = true
      },
      (node) => {
        node.stalls = false
      },
    ],
    lagging: [
      'lags twenty blocks behind the head',
      (node, head) => {
        node.lagsAt = Math.max(1, head - 20)
      },
      (node) => {
        node.lagsAt = undefined
      },
    ],
    refusing: [
      'responds with 429',
      (node) => {
        node.refuseEvery = 1
      },
      (node) => {
        node.refuseEvery = 0
      },
    ],
    null: [
      'responds with null',
      (node) => {
        node.lie = (method, truth) => (NULLABLE.has(method) ? null : truth)
      },
      (node) => {
        node.lie = (_, truth) => truth
      },
    ],
  }

/** Faults of one node while the other is healthy, and of both. */
export const NODE_FAULTS: Fault<Place>[] = Object.entries(WAYS).flatMap(([way, [about, on, off]]) =>
  [1, 2].map((count): Fault<Place> => {
    return {
      name: count === 1 ? `first node ${way}` : `all nodes ${way}`,
      about: count === 1 ? `The first node ${about}; the second is healthy.` : `Each node ${about}.`,
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
