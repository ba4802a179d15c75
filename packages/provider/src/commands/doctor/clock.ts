import { setTimeout as sleep } from 'node:timers/promises'
import { CHAIN_LIMITS, type Chains, ClockWatch, describeOffset } from '@tidegate/chain'
import type { Finding } from './files.js'

/** Milliseconds between two checks of the heads. */
const INTERVAL = 1000
/** Checks of chains with old heads: enough for a block of a public chain, and for a proof. */
const LOOKS = { block: 15, proof: 45 }

/** Compares the clock of this machine with the heads of the chains. Waits for new blocks only if a head is old. */
export async function* clockFindings(chains: Chains): AsyncGenerator<Finding> {
  const watch = new ClockWatch(chains, INTERVAL)
  const { tolerance } = CHAIN_LIMITS.clock
  const ids = [...chains.keys()]
  const isOld = (chainId: number) => (watch.headAge(chainId) ?? 0) > tolerance
  for (let looks = 0; looks < (watch.isSuspect ? LOOKS.proof : LOOKS.block); looks++) {
    if (looks > 0) await sleep(INTERVAL)
    await watch.look()
    if (watch.isWrong || !ids.some(isOld)) break
  }
  for (const chainId of ids) {
    const offset = watch.offset(chainId)
    if (offset === null) continue // unresponsive nodes have a finding already
    if (watch.isWrongOn(chainId))
      yield { ok: false, text: `clock of this machine: ${describeOffset(offset)} by chain ${chainId}` }
    else if (!isOld(chainId)) yield { ok: true, text: `clock of this machine: agrees with chain ${chainId}` }
    else {
      const reasons = 'the chain mines rarely, its nodes lag, or the clock is fast'
      yield {
        ok: false,
        optional: true,
        text: `clock of this machine: cannot be compared with chain ${chainId}, whose newest block is old: ${reasons}`,
      }
    }
  }
}
