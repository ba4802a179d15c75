import { decodeFunctionData, type Hex, keccak256, numberToHex, parseTransaction, toFunctionSelector } from 'viem'
import { TOKEN_CALLS } from '../../../packages/purchases/src/chain/token-calls.js'
import { balancedNode } from '../../../test/helpers/balanced-node.js'
import type { RpcProxy } from '../../../test/helpers/rpc-proxy.js'
import { transact } from '../../../test/helpers/transactions.js'
import type { Fault, Lift, Place } from '../faults/fault.js'

type Work = (node: RpcProxy, place: Place) => Lift | Promise<Lift>

function onNodes(name: string, about: string, work: Work, isOfOne = false): Fault<Place> {
  return {
    name,
    about,
    kind: 'node',
    async inject(place) {
      const nodes = isOfOne ? [place.random.one(place.world.nodes)] : place.world.nodes
      const lifts = await Promise.all(nodes.map((node) => work(node, place)))
      return () => Promise.all(lifts.map((lift) => lift()))
    },
  }
}

const SEND = 'eth_sendRawTransaction'
const SETTLE = TOKEN_CALLS.filter(({ name }) => name === 'transferWithAuthorization').map(toFunctionSelector)

/** Replaces how a node handles a transaction. `pass` lets it through. */
function withSending(
  answer: (raw: Hex, pass: () => ReturnType<RpcProxy['forward']>) => ReturnType<RpcProxy['forward']>,
): (node: RpcProxy) => Lift {
  return (node) => {
    const { forward } = node
    node.forward = (method, params) => {
      const pass = () => forward(method, params)
      return method === SEND ? answer(params[0] as Hex, pass) : pass()
    }
    return () => {
      node.forward = forward
    }
  }
}

const failed = (message: string) => ({ error: { code: -32000, message } })

/** Answers calls from states that are some seconds old, and different for each part of an answer. */
const late =
  (lags: number[]): Work =>
  async (node, { world, random }) => {
    const parts = { blocks: lags, logs: lags, state: lags, receipts: lags }
    const other = await balancedNode(world.world.network.rpcUrl, { lags: parts, seed: random.below(1_000_000) })
    const { forward } = node
    node.forward = other.forward
    return () => {
      node.forward = forward
      other.close()
    }
  }

/** Faults of nodes which a service that sends transactions notices. */
export const SENDING_FAULTS: Fault<Place>[] = [
  onNodes(
    'transactions lost',
    'Each node accepts transactions, and loses them.',
    withSending(async (raw) => ({ result: keccak256(raw) })),
  ),
  onNodes(
    'transactions refused as known',
    'Each node says that it knows a transaction, and does not.',
    withSending(async () => failed('already known')),
  ),
  onNodes(
    'transactions taken with an error',
    'Each node takes a transaction, and answers with an error.',
    withSending(async (_raw, pass) => {
      await pass()
      return failed('internal error')
    }),
  ),
  onNodes('payments settled by others', 'Somebody else settles each payment that a node gets.', async (node, place) => {
    const stranger = await place.world.world.somebody()
    let turn: Promise<unknown> = Promise.resolve()
    return withSending(async (raw, pass) => {
      const { to, data } = parseTransaction(raw)
      if (!to || !data || !SETTLE.some((selector) => data.startsWith(selector))) return pass()
      const { network } = place.world.world
      const { functionName, args } = decodeFunctionData({ abi: TOKEN_CALLS, data })
      const call = { to, abi: TOKEN_CALLS, functionName, args: [...args] }
      turn = turn.then(() => transact(network, stranger, call)).catch(() => undefined)
      return place.random.chance(0.5) ? pass() : { result: keccak256(raw) }
    })(node)
  }),
  onNodes(
    'one balanced node late',
    'One address answers from nodes up to six seconds old.',
    late([0, 0, 3_000, 6_000]),
    true,
  ),
  onNodes(
    'all answers late',
    'All addresses answer from nodes that are seconds old, each call from another.',
    late([0, 2_500, 5_000]),
  ),
  onNodes('server errors', 'Each node answers many requests with 500.', (node, { random }) => {
    const { refuse } = node
    node.refuse = () => (random.chance(0.2) ? { status: 500 } : undefined)
    return () => {
      node.refuse = refuse
    }
  }),
  onNodes(
    'another chain',
    'One node answers for another chain.',
    (node) => {
      const { lie } = node
      node.lie = (method, truth) => (method === 'eth_chainId' ? '0x1' : truth)
      return () => {
        node.lie = lie
      }
    },
    true,
  ),
  onNodes('gas too dear', 'Each node names a price of gas above the ceiling.', (node) => {
    const { lie } = node
    node.lie = (method, truth) => (method === 'eth_gasPrice' ? numberToHex(10n ** 13n) : truth)
    return () => {
      node.lie = lie
    }
  }),
]
