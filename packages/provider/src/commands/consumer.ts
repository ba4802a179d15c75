import { Command, InvalidArgumentError } from '@commander-js/extra-typings'
import { jsonText, note, print } from '@tidegate/common/terminal'
import { checksummed } from '@tidegate/protocol'
import { type Address, isAddress, zeroAddress } from 'viem'
import type { StateStore } from '../state/stores.js'
import { CONFIG } from './options.js'
import { streamedOutput } from './streamed-output.js'
import { withStore } from './with-store.js'

/** Asks a question, which `--yes` answers. Throws CommandError if the answer is no. */
type Ask = (question: { yes: boolean | undefined; message: string; otherwise: string }) => Promise<void>

/** Returns the module of the command. `ask` is that of the command line. */
export const consumerOf = (ask: Ask) => ({
  command(finish: (code: number) => void) {
    const consumer = new Command('consumer').description(
      'Exports or forgets what the database holds of an account. May run beside the service.',
    )
    consumer
      .command('export')
      .description(
        'Prints what the database holds of an account as JSON, and what its index knows of it from the chain.',
      )
      .argument('<address>', 'the account', addressOf)
      .option(...CONFIG)
      .action(async (address, { config }) =>
        finish(await withStore(config, (store) => exportAccount(store, address), true)),
      )
    consumer
      .command('forget')
      .description(
        'Ends the tokens and links of an account, deletes its unfinished uploads and waiting proofs, and makes its deliveries and fees anonymous. Nonces stay, so that no earlier request of the account can be replayed.',
      )
      .argument('<address>', 'the account', addressOf)
      .option('-y, --yes', 'do not ask')
      .option(...CONFIG)
      .action(async (address, { yes, config }) => {
        const message = `Forget ${address}? This cannot be undone.`
        await ask({ yes, message, otherwise: 'nothing was changed' })
        finish(await withStore(config, (store) => forget(store, address)))
      })
    return consumer
  },
})

/** Parses an address. A wrong checksum is a typing mistake, which would name another account. Throws InvalidArgumentError. */
function addressOf(text: string): Address {
  if (!isAddress(text))
    throw new InvalidArgumentError(
      'It must be an address: 0x and 40 hexadecimal digits, with a correct checksum if any.',
    )
  if (text === zeroAddress)
    throw new InvalidArgumentError('It must not be the zero address, which stands for forgotten accounts.')
  return checksummed(text)
}

/** `tidegate consumer export`: prints an object with a list for each part, row by row. Returns the exit code. */
async function exportAccount({ accounts }: StateStore, address: Address): Promise<number> {
  const write = streamedOutput()
  let count = 0
  await write(`{"account":"${address}","exported":"${new Date().toISOString()}"`)
  for (const { name, rows } of accounts.held(address)) {
    await write(`,\n"${name}":[`)
    let isFirst = true
    for await (const row of rows) {
      if (!(await write(`${isFirst ? '' : ','}\n${jsonText(row)}`))) return 0
      isFirst = false
      count += 1
    }
    await write(']')
  }
  await write('}\n')
  if (count === 0) note(`The database holds nothing of ${address}.`)
  return 0
}

/** `tidegate consumer forget`. Returns the exit code. */
async function forget({ accounts }: StateStore, address: Address): Promise<number> {
  const { deliveries, orderFees, proofs, uploads, files } = await accounts.forget(address, Date.now())
  if (deliveries + orderFees + proofs + uploads === 0)
    print(`There was nothing of ${address} to delete or to make anonymous.`)
  else
    print(
      `${address}: ${deliveries} deliveries and ${orderFees} fees are anonymous; ${proofs} waiting proofs and ${uploads} unfinished uploads are deleted.`,
    )
  print('All its tokens and download links until now have ended.')
  note(
    'Its last nonce stays: without it, an earlier signed request could be replayed. Orders and assets in the index are public on the chain, and stay.',
    ...(files > 0
      ? [
          `${files} hosted files of the account stay, since buyers may have paid for them: see tidegate files list --owner ${address}.`,
        ]
      : []),
    'Log lines of the service have the account as well, for as long as you keep them.',
  )
  return 0
}
