import { text } from 'node:stream/consumers'
import { Command } from '@commander-js/extra-typings'
import { SECONDS } from '@tidegate/protocol/constants'
import { misuse } from '@tidegate/provider/commands/failures'
import { timeText } from './people/amounts.js'
import { duration, forSigning } from './people/options.js'
import { inSession, type PeopleOptions } from './people/session.js'

export const command = (finish: (code: number) => void) => {
  const token = new Command('token').description(
    'Creates and deletes tokens that replace your signature, for curl and other programs.',
  )
  token.addCommand(
    forSigning('create', 'tidegate token create --lifetime 12h --keystore wallet.json')
      .description('Creates and prints a token. Anyone who has it can download your orders.')
      .option('--lifetime <time>', 'lifetime of the token: 90s, 12h, 30d', duration, SECONDS.hour)
      .action(async (options) => finish(await create(options))),
  )
  token.addCommand(
    forSigning('delete', 'tidegate token delete - --keystore wallet.json < token.txt')
      .description('Deletes a token and the links made with it.')
      .argument('<token>', 'the token, or - to read it from standard input')
      .action(async (given, options) => finish(await remove(given, options))),
  )
  return token
}

/** `tidegate token create`. Returns the exit code. Throws CommandError, TidegateError. */
export async function create({ lifetime, ...options }: PeopleOptions & { lifetime: number }): Promise<number> {
  if (lifetime === 0) throw misuse('--lifetime: a token must expire.')
  return inSession(options, 'wallet', async ({ client, out, address, signal }) => {
    const { token, expires } = await client.createToken({ lifetime, signal })
    out.note(`valid until ${timeText(expires)}, for ${address}`)
    out.print(token)
    out.result({ token, expires, address })
  })
}

/** `tidegate token delete`. Returns the exit code. Throws CommandError, TidegateError. */
export async function remove(given: string, options: PeopleOptions): Promise<number> {
  return inSession(options, 'wallet', async ({ client, out, address, signal }) => {
    const token = (given === '-' ? await text(process.stdin) : given).trim()
    await client.deleteToken(token, { signal })
    out.print('the token is deleted.')
    out.result({ deleted: true, address })
  })
}
