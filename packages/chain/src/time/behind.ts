import { RpcRequestError } from 'viem'
import { BLOCK_CODES, REVERT_CODES } from '../constants.js'
import { causes } from '../failures.js'
import { CHAIN_LIMITS } from '../limits.js'
import { BehindError } from './behind-error.js'

/** Returns whether a node answered from an older moment than the answer must be of. */
export function isBehind(error: unknown): boolean {
  return causes(error).some((cause) => cause instanceof BehindError)
}

/** The meaning of the error of a call at a block. `unclear`: the text is of no known node. */
export type CallFault = 'reverted' | 'behind' | 'unclear'

/** A contract chooses the text after these words. */
const REVERT_WORDS =
  /\brevert|\bvm (execution|exception)|\bout of gas|\bgas (?:required|spent) exceed|\bopcode|\bstack (under|over)flow|\bjump dest|\bevm (error|reverted)|\bexecution (error|aborted|timeout)/i
const THING = '(?:blocks?|headers?|tipsets?|epochs?|heights?|states?|trie(?: node)?|snapshot|resource|history)'
const LACK =
  "(?:not found|unknown|missing|unavailable|not available|does(?:n't| not) exist|not exist|out of range|not (?:yet )?(?:been )?(?:executed|processed|imported|synced|ready|reached)|pruned|pruning|discarded|ahead|greater|higher|beyond|future|latest block)"
/** Texts of geth, erigon, Nethermind, Besu, reth, anvil, Hardhat, Avalanche, Filecoin, Substrate, zkSync and hosted nodes. */
const BLOCK_WORDS = new RegExp(
  [
    `\\b${THING}\\b.{0,100}\\b${LACK}\\b`,
    `\\b(?:no|unknown|missing|no such|invalid|future|historical|unfinalized|cannot find|can't find|could ?n[o']t find|could not (?:find|get)|failed to (?:find|get|load))\\b.{0,40}\\b(?:${THING}|data)\\b`,
    'BlockOutOfRange|UnknownBlock|BlockNotFound|HeaderNotFound|\\bstate pruning\\b',
  ].join('|'),
  'i',
)

/** Returns the meaning of a node's error for a call at a block. */
export function callFault(error: unknown): CallFault {
  const refusal = causes(error).find((cause) => cause instanceof RpcRequestError)
  if (!refusal) return 'unclear'
  const { code, data } = refusal
  const text = String(refusal.details).slice(0, CHAIN_LIMITS.chain.errorText)
  if (REVERT_CODES.has(code) || REVERT_WORDS.test(text) || /^0x[0-9a-f]/i.test(String(data))) return 'reverted'
  return BLOCK_CODES.has(code) || BLOCK_WORDS.test(text) ? 'behind' : 'unclear'
}

/** Returns whether a node has executed a call, and it reverts or takes more gas than it may. */
export const isReverted = (error: unknown): boolean => callFault(error) === 'reverted'

/** Returns whether a node lacks the block that a request names: it may be behind. */
export function lacksBlock(error: unknown): boolean {
  return isBehind(error) || callFault(error) === 'behind'
}

/** Returns why no answer was accepted; undefined if no node answered. `answers`: the number of different ones. */
export function reasonOf(wasBehind: boolean, answers: number): string | undefined {
  if (wasBehind) return 'The blockchain node is behind: it answered from an older block than it has shown.'
  if (answers === 0) return undefined
  return answers === 1 ? 'Too few blockchain nodes answered.' : 'The blockchain nodes disagree.'
}
