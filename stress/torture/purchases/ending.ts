import { eventually } from '../../../test/helpers/eventually.js'
import type { Market } from './market.js'

/** Seconds for which an authorization is valid at most. */
const VALID = 3_600

/** Waits until no purchase is under way; payments that were never taken end when their time has passed on the chain. */
export async function untilEnded({ torture, account }: Market, patience: number): Promise<void> {
  const open = async (states: string) =>
    torture.deployments[0]?.rows(`SELECT id, state, reason FROM purchases WHERE is_open = 1 AND state ${states}`)
  const isOver = (states: string) => async () => (await open(states))?.length === 0
  const report = async (states: string) =>
    torture.ledger.addFinding(`purchases of ${account} have no end: ${JSON.stringify(await open(states))}`)
  const limit = 300_000 * patience
  await eventually(isOver("<> 'failed'"), limit, 200).catch(() => report("<> 'failed'"))
  await torture.world.rpc('evm_increaseTime', [VALID])
  await eventually(isOver("<> ''"), limit, 200).catch(() => report("<> ''"))
}
