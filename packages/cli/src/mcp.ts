import { realpathSync, statSync } from 'node:fs'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { misuse } from '@tidegate/provider/commands/failures'
import { addReadingTools, createMcpServer } from '@tidegate/provider/mcp'
import { clientWithSessions, withKeptSessions } from './people/agent/credentials.js'
import { DaySpending } from './people/agent/day-spending.js'
import { clientMessages } from './people/agent/messages.js'
import { Purchases } from './people/agent/purchases.js'
import { boundRequests } from './people/agent/requests.js'
import { type Limit, Spending } from './people/agent/spending.js'
import { addActingTools, clientReader } from './people/agent/tools.js'
import { spendingFolder } from './people/files/folders.js'
import { forSigning, MAX_DAY, MAX_EACH, MAX_SPEND } from './people/options.js'
import { shown } from './people/output/text.js'
import { inSession, type PeopleOptions, type Session } from './people/session.js'

export const command = (finish: (code: number) => void) =>
  forSigning('mcp', 'tidegate mcp --keystore wallet.json --max-spend 20:OCEAN --max-each 5:OCEAN --folder data')
    .description(
      'Serves tools to an agent on this machine by the Model Context Protocol, over standard input and output: search, describe, quote, preview, orders, links, and with an account buy and download. Asks before each purchase by the dialogue of the agent.',
    )
    .option(...MAX_SPEND)
    .option(...MAX_DAY)
    .option(...MAX_EACH)
    .option('--folder <path>', 'existing folder for downloads (default: this folder)', '.')
    .option('-y, --yes', 'buy within the limits without asking; assets with terms only with --accept-terms')
    .option('--accept-terms', 'with --yes: accept the terms of assets')
    .action(async (options) => finish(await mcp(options)))

interface McpOptions extends PeopleOptions {
  maxSpend?: Limit[]
  maxDay?: Limit[]
  maxEach?: Limit[]
  folder: string
  yes?: true
  acceptTerms?: true
}

/** `tidegate mcp`. Returns the exit code when the agent closes standard input. Throws CommandError. */
export async function mcp({
  maxSpend = [],
  maxDay,
  maxEach = [],
  folder,
  yes,
  acceptTerms,
  ...options
}: McpOptions): Promise<number> {
  const inside = folderOf(folder)
  return inSession(options, 'reader', async (session) => {
    const { address, signal } = session
    const server = createMcpServer()
    const onError = (error: unknown) => report(session, error)
    const run = withKeptSessions(session)
    const client = clientWithSessions(session.client, run)
    boundRequests(client.context)
    addReadingTools(server, clientReader(client, address), onError)
    const day = maxDay && address && { limits: maxDay, spending: new DaySpending(spendingFolder(), address) }
    const spending = new Spending(maxSpend, maxEach, day)
    const purchases = address && new Purchases({ server, client, account: address, spending, yes, acceptTerms })
    if (purchases) addActingTools(server, { client, purchases, folder: inside, run }, onError)
    const input = clientMessages(server)
    const ended = new Promise<void>((resolve) => {
      for (const event of ['end', 'close', 'error']) input.once(event, resolve)
      server.server.onclose = resolve
      signal.addEventListener('abort', () => resolve())
    })
    await server.connect(new StdioServerTransport(input) as never)
    await ended
    // aborts calls; a sent transaction is still waited for
    await server.close()
    await purchases?.settled()
  })
}

function folderOf(path: string): string {
  try {
    const real = realpathSync(path)
    if (statSync(real).isDirectory()) return real
  } catch {
    // reported below
  }
  throw misuse(`--folder: ${shown(path)} is not a folder.`)
}

/** Names only the code: a message may hold a stranger's text. */
function report({ out }: Session, error: unknown): void {
  const { code, name } = error as { code?: unknown; name?: unknown }
  out.note(`a tool failed: ${shown(String(typeof code === 'string' ? code : name), 60)}`)
}
