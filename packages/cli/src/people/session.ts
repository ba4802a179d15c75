import type { Tidegate } from '@tidegate/client'
import { CommandError, EXIT, misuse } from '@tidegate/provider/commands/failures'
import type { Address, Hex } from 'viem'
import { CLI_LIMITS } from '../limits.js'
import { useKeptSessions } from './credentials/kept-sessions.js'
import { Output } from './output/output.js'
import { interrupted } from './output/prompts.js'
import { namesAccount, openAccount, type WalletOptions } from './wallet.js'
import { type Where, type WhereOptions, where } from './where.js'

export interface PeopleOptions extends WhereOptions, WalletOptions {
  json?: true | undefined
}

/** Client, account and output of a command. */
export interface Session {
  client: Tidegate
  where: Where
  out: Output
  /** Aborts when the command is interrupted. */
  signal: AbortSignal
  /** The account that signs and pays, if one is named. */
  address: Address | undefined
  /** Transactions sent to the node, in order. */
  sent: string[]
}

export interface WalletSession extends Session {
  address: Address
}

/**
 * Runs a command with a client of the provider. `needs` says whether it needs an account. After ctrl-C, throws the command's
 * own hint on how to resume, if it has one. Returns the exit code.
 */
export async function inSession(
  options: PeopleOptions,
  needs: 'reader',
  work: (session: Session) => Promise<unknown>,
): Promise<number>
export async function inSession(
  options: PeopleOptions,
  needs: 'wallet',
  work: (session: WalletSession) => Promise<unknown>,
): Promise<number>
export async function inSession(
  options: PeopleOptions,
  needs: 'reader' | 'wallet',
  work: (session: WalletSession) => Promise<unknown>,
): Promise<number> {
  const interruption = new AbortController()
  const settled = new Promise<never>((_, reject) => {
    process.once('SIGINT', () => {
      interruption.abort(interrupted())
      setTimeout(() => reject(interrupted()), CLI_LIMITS.waiting.settling).unref()
    })
  })
  const sent: string[] = []
  const run = async () => {
    const session = await open(options, needs, { signal: interruption.signal, sent })
    await work(session as WalletSession).catch((error) => {
      throw naming(session.where.provider, error)
    })
    if (sent.length > 0) await awaitIndexed(session)
  }
  try {
    await Promise.race([run(), settled])
    return EXIT.done
  } catch (error) {
    if (!interruption.signal.aborted) throw error
    const { message, exitCode } = error as CommandError
    throw interrupted(exitCode === EXIT.interrupted ? message : undefined, sent)
  }
}

/** Waits until the provider has read the transactions: the node of the next command may be behind. */
async function awaitIndexed({ client: { context } }: Session): Promise<void> {
  const { untilIndexed } = await import('@tidegate/client/node')
  const wait = async () => untilIndexed(context, (await context.wallet?.getChainId()) as number)
  await wait().catch(() => undefined)
}

/** Says that a buyer is not invited. Names the unreachable provider: the user may have saved it long ago. */
function naming(provider: string, error: Error & { code?: string }): Error {
  if (error.code === 'CREDENTIALS_DENIED')
    return new CommandError(error.code, 'Only for invited buyers: the publisher does not admit this account.')
  if (error.code !== 'UNREACHABLE') return error
  return new CommandError(error.code, `${provider}: ${error.message}`)
}

async function open(
  options: PeopleOptions,
  needs: 'reader' | 'wallet',
  { signal, sent }: Pick<Session, 'signal' | 'sent'>,
): Promise<Session> {
  const found = where(options)
  const { createTidegate } = await import('@tidegate/client')
  const { webDocuments: documents } = await import('@tidegate/client/node')
  const named = namesAccount(options)
  const wallet = needs === 'wallet' || named ? await walletOf(options, found, { signal, sent }) : undefined
  const client = createTidegate({
    url: found.provider,
    documents,
    ...(found.rpc === undefined ? {} : { rpcUrl: found.rpc }),
    ...(wallet ? { wallet } : {}),
  })
  const out = new Output(options.json === true)
  const session = { client, where: found, out, signal, address: wallet?.account.address, sent }
  useKeptSessions(session)
  return session
}

async function walletOf(options: PeopleOptions, { rpc }: Where, { signal, sent }: Pick<Session, 'signal' | 'sent'>) {
  if (rpc === undefined)
    throw misuse('no node of the chain is named: use --rpc URL, TIDEGATE_RPC, or save one with `tidegate use`.')
  const { rpcClient, walletClient } = await import('@tidegate/chain/clients')
  const { keccak256 } = await import('viem')
  const node = rpcClient(new URL(rpc))
  const chainIdOf = () =>
    node.getChainId().catch(() => {
      throw misuse('the node of the chain (--rpc) does not answer.')
    })
  const account = await openAccount(options, chainIdOf)
  signal.throwIfAborted()
  // an interrupted command names its sent transactions, even if it does not wait for the node
  const request = (call: { method: string; params?: unknown }) => {
    if (call.method === 'eth_sendRawTransaction') sent.push(keccak256((call.params as [Hex])[0]))
    return node.request(call as never)
  }
  return walletClient(account, request as typeof node.request)
}
