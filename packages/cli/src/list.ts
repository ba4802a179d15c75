import { Command } from '@commander-js/extra-typings'
import type { AccessList, MembersChange } from '@tidegate/client'
import { agreed } from './people/agreement.js'
import { address, addresses, forReading, forSigning, whole, YES } from './people/options.js'
import { shown } from './people/output/text.js'
import { inSession, type PeopleOptions } from './people/session.js'

type Address = `0x${string}`
type Finish = (code: number) => void

export const command = (finish: Finish) =>
  new Command('list')
    .description('Creates, changes and shows access lists: only members of its list may buy an asset.')
    .addCommand(createCommand(finish))
    .addCommand(changeCommand(finish, 'add'))
    .addCommand(changeCommand(finish, 'remove'))
    .addCommand(showCommand(finish))

const createCommand = (finish: Finish) =>
  forSigning('create', 'tidegate list create --name "Harbours" 0xAB… --keystore wallet.json')
    .description('Creates an access list that the account owns, and prints its address.')
    .argument('[member...]', 'the first members', addresses)
    .requiredOption('--name <name>', 'its name, which everybody can read')
    .option(...YES)
    .action(async (members, options) => finish(await create(members, options)))

const changeCommand = (finish: Finish, what: 'add' | 'remove') =>
  forSigning(what, `tidegate list ${what} 0xLIST 0xMEMBER --keystore wallet.json`)
    .description(
      what === 'add'
        ? 'Adds members to an access list of the account.'
        : 'Removes members from an access list of the account, in a transaction for each.',
    )
    .argument('<list>', 'the address of the list', address)
    .argument('<member...>', 'the accounts', addresses)
    .option(...YES)
    .action(async (list, members, options) => finish(await change(what, list, members, options)))

const showCommand = (finish: Finish) =>
  forReading('show', 'tidegate list show 0xLIST')
    .description('Shows the owner and the members of an access list, 50 on a page.')
    .argument('<list>', 'the address of the list', address)
    .option('--page <n>', 'page of the members, from 1', whole, 1)
    .action(async (list, options) => finish(await show(list, options)))

/** `tidegate list create`. Returns the exit code. Throws CommandError, TidegateError. */
export async function create(
  members: Address[] = [],
  { name, yes, ...options }: PeopleOptions & { name: string; yes?: true },
): Promise<number> {
  return inSession(options, 'wallet', async ({ client, out, address }) => {
    if (!yes) out.note(`  Name     ${shown(name)}`, `  Owner    ${address}`, ...memberLines(members))
    await agreed({ yes, message: 'Create this list?', otherwise: 'no list was created' })
    const made = await client.createAccessList({ name, members, onStep: out.step })
    for (const transaction of made.transactions) out.note(`mined: ${transaction}`)
    out.print(made.list)
    out.result(made)
  })
}

/** `tidegate list add` and `tidegate list remove`. Returns the exit code. Throws CommandError, TidegateError. */
export async function change(
  what: 'add' | 'remove',
  list: Address,
  members: Address[],
  { yes, ...options }: PeopleOptions & { yes?: true },
): Promise<number> {
  return inSession(options, 'wallet', async ({ client, out }) => {
    const message = what === 'add' ? 'Add these members?' : 'Remove these members?'
    const confirm = async (some: readonly Address[]) => {
      if (!yes) out.note(...memberLines(some))
      await agreed({ yes, message, otherwise: 'the list was not changed' })
    }
    const call = what === 'add' ? client.addMembers : client.removeMembers
    const changed = await call(list, members, { confirm, onStep: out.step })
    if (changed.transactions.length === 0) out.note('nothing is to be changed, and nothing was sent.')
    for (const transaction of changed.transactions) out.note(`mined: ${transaction}`)
    out.print(...changeLines(what, changed))
    out.result(changed)
  })
}

/** `tidegate list show`. Returns the exit code. Throws CommandError, TidegateError. */
export async function show(list: Address, { page, ...options }: PeopleOptions & { page: number }): Promise<number> {
  return inSession(options, 'reader', async ({ client, out }) => {
    const found = await client.accessList(list, { page })
    out.print(...listLines(found))
    out.result(found)
  })
}

const memberLines = (members: readonly Address[]) => members.map((member) => `  Member   ${member}`)

function changeLines(what: 'add' | 'remove', { changed, unchanged }: MembersChange): string[] {
  const [done, before] =
    what === 'add' ? ['is a member now', 'is a member already'] : ['is no member any more', 'is no member']
  return [...changed.map((one) => `${one} ${done}`), ...unchanged.map((one) => `${one} ${before}`)]
}

function listLines({ address, chainId, name, owner, total, page, members, more }: AccessList): string[] {
  return [
    shown(name),
    address,
    '',
    `  Owner    ${owner}`,
    `  Chain    ${chainId}`,
    `  Members  ${total}`,
    ...members.map((member) => `  ${member}`),
    ...(members.length === 0 && page > 1 ? ['this page is empty.'] : []),
    ...(more ? ['', `next: --page ${page + 1}`] : []),
  ]
}
