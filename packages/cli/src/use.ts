import { Command } from '@commander-js/extra-typings'
import { CommandError, misuse } from '@tidegate/provider/commands/failures'
import { forgetKept, keptFile, readKept, writeKept } from './people/kept.js'
import { Output } from './people/output.js'
import { checkedUrl, where } from './people/where.js'

export const command = (finish: (code: number) => void) =>
  new Command('use')
    .description(
      'Saves the provider and the chain node for later commands, after both have responded. Without a URL, shows the ones in use. Never saves keys.',
    )
    .argument('[url]', 'the provider')
    .option('--rpc <url>', 'a node of its chain')
    .option('--forget', 'delete the saved provider and node')
    .option('--json', 'print one JSON object on standard output')
    .addHelpText('after', '\nExample:\n  tidegate use https://provider.example --rpc https://node.example')
    .action(async (url, options) => finish(await use(url, options)))

interface UseOptions {
  rpc?: string
  forget?: true
  json?: true
}

/** `tidegate use`. Returns the exit code. Throws CommandError, TidegateError. */
export async function use(url: string | undefined, options: UseOptions): Promise<number> {
  const out = new Output(options.json === true)
  if (options.forget) return forget(url, options, out)
  if (url === undefined) return show(options, out)
  const provider = checkedUrl('URL', url) as string
  const rpc = checkedUrl('--rpc', options.rpc)
  const { createTidegate } = await import('@tidegate/client')
  // another server is probably a typing mistake
  const { chainIds } = await createTidegate({ url: provider }).context.api.get<{ chainIds?: unknown }>('/')
  if (!Array.isArray(chainIds)) throw new CommandError('BAD_ANSWER', `${provider} responds, but is not a provider.`)
  if (rpc !== undefined) await checkNode(rpc, chainIds)
  writeKept({ provider, ...(rpc === undefined ? {} : { rpc }) })
  return report(out, { provider, rpc, from: 'kept' })
}

function forget(url: string | undefined, { rpc }: UseOptions, out: Output): number {
  if (url !== undefined || rpc !== undefined) throw misuse('--forget takes neither a URL nor --rpc.')
  const kept = readKept()
  forgetKept()
  out.print(kept ? `${kept.provider} is forgotten.` : 'nothing was saved.')
  out.result({ forgotten: kept?.provider ?? null, file: keptFile() })
  return 0
}

function show({ rpc }: UseOptions, out: Output): number {
  if (rpc !== undefined) throw misuse('--rpc needs a provider: tidegate use URL --rpc URL.')
  return report(out, where({}))
}

const FROM = {
  option: 'from the options',
  environment: 'from TIDEGATE_PROVIDER',
  kept: 'saved by `tidegate use`',
  dev: 'a running `tidegate dev`',
} as const

/** Reports a node only by its host: the rest of its URL may be a key. */
function report(out: Output, found: { provider: string; rpc: string | undefined; from: keyof typeof FROM }): number {
  const node = found.rpc === undefined ? null : new URL(found.rpc).origin
  out.print(`provider  ${found.provider} (${FROM[found.from]})`, `node      ${node ?? 'none'}`)
  out.result({ provider: found.provider, rpc: node, from: found.from, file: keptFile() })
  return 0
}

async function checkNode(rpc: string, chainIds: readonly number[]): Promise<void> {
  const { rpcClient } = await import('@tidegate/chain/clients')
  const chainId = await rpcClient(new URL(rpc))
    .getChainId()
    .catch(() => undefined)
  if (chainId === undefined) throw misuse('--rpc: this node does not answer.')
  if (!chainIds.includes(chainId))
    throw misuse(`--rpc: this node is on chain ${chainId}, and the provider serves ${chainIds.join(', ')}.`)
}
