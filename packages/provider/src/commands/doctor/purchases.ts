import type { Chain, Chains } from '@tidegate/chain'
import type { Driver } from '@tidegate/database'
import { ChainError } from '@tidegate/protocol'
import { transactionAccount } from '@tidegate/protocol/keys'
import type { ObstructedPurchase } from '@tidegate/purchases'
import { type Address, formatEther, formatUnits, isAddressEqual, type LocalAccount } from 'viem'
import type { Settings } from '../../config/schema.js'
import type { Finding } from './files.js'

/** Examines the purchasing account of each chain: its coins, its tokens, and whether it holds what it owes. */
export async function* purchaseFindings(settings: Settings, db: Driver, chains: Chains): AsyncGenerator<Finding> {
  const { PURCHASE_PRIVATE_KEY: key, PURCHASE_TOKENS: tokens } = settings
  if (settings.PURCHASES === 'off' || !key || !tokens) return
  const { purchaseStore, purchaseTotals } = await import('@tidegate/purchases')
  const account = await transactionAccount(key)
  const totals = await purchaseTotals(purchaseStore(db).between(0, Number.MAX_SAFE_INTEGER))
  for (const [chainId, accepted] of tokens.byChain) {
    const chain = chains.get(chainId)
    const owed = (token: Address) =>
      totals.find((one) => one.chainId === chainId && isAddressEqual(one.token, token))?.held ?? 0n
    yield* chain
      ? await accountFindings(chain, account, accepted, owed)
      : [{ ok: false, text: `PURCHASE_TOKENS: chain ${chainId} is not served` }]
    yield* waitingFindings(
      chainId,
      totals.filter((one) => one.chainId === chainId).flatMap(({ obstructed }) => obstructed),
    )
  }
}

/** Names the purchases that wait, by why they do. */
function waitingFindings(chainId: number, obstructed: readonly ObstructedPurchase[]): Finding[] {
  return [...new Set(obstructed.map(({ obstacle }) => obstacle))].map((obstacle) => {
    const [oldest, ...others] = obstructed.filter((one) => one.obstacle === obstacle)
    const rest = others.length > 0 ? ` and ${others.length} more` : ''
    return { ok: false, text: `chain ${chainId}: purchase ${oldest?.id}${rest} waits: ${obstacle}` }
  })
}

async function accountFindings(
  chain: Chain,
  account: LocalAccount,
  accepted: readonly Address[],
  owed: (token: Address) => bigint,
): Promise<Finding[]> {
  const { evmChain, gasOfPurchase, readPaymentToken } = await import('@tidegate/purchases')
  const paying = evmChain({ chain, account, confirmations: 1 })
  const where = `chain ${chain.chainId}:`
  try {
    const [price, coins] = await Promise.all([paying.price(), paying.coins()])
    const affordable = coins / (price * BigInt(gasOfPurchase()))
    const text = `${where} the purchasing account ${account.address} has ${formatEther(coins)} coins, enough for the gas of ${affordable} purchase(s)`
    const findings: Finding[] = [{ ok: affordable > 0n, text }]
    for (const address of accepted) {
      const token = await readPaymentToken(chain, address)
      if (!token)
        findings.push({ ok: false, text: `${where} the token ${address} takes no signed payments (EIP-3009)` })
      else {
        const [holds, owes] = [await paying.balance(address), owed(address)]
        const [held, debt] = [holds, owes].map((amount) => formatUnits(amount, token.decimals))
        const text = `${where} the purchasing account holds ${held} ${token.symbol}, and owes ${debt} to payers`
        findings.push({ ok: holds >= owes, text })
      }
    }
    return findings
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    return [{ ok: false, text: `${where} the purchasing account cannot be examined: ${error.message}` }]
  }
}
