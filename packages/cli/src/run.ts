import { Command, CommanderError, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { note, printJson } from '@tidegate/common/terminal'
import { visibleLines } from '@tidegate/common/visible-text'
import { failureOf, misuse } from '@tidegate/provider/commands/failures'
import { packageVersion } from '@tidegate/provider/version'
import { COMMANDS, GROUPS } from './commands.js'

/** Runs one command of the program, and reports errors on standard error. Returns the exit code. */
export async function run(args: string[]): Promise<number> {
  let code = 0
  const program = new Command('tidegate')
    .description('Data access provider: encrypts file locations, quotes and verifies orders, and streams the files.')
    .version(packageVersion(), '--version')
    .exitOverride()
    .configureOutput({
      outputError: (message, write) => write(visibleLines(message.replace(/^error: /, 'tidegate: '))),
    })
  const finish = (exitCode: number) => {
    code = exitCode
  }
  try {
    refuseKeys(args)
    for (const [name, { group, summary, load }] of Object.entries(COMMANDS)) {
      // loads only the requested command; the others only need their names
      const command = args.slice(0, 2).includes(name) ? (await load()).command(finish) : new Command(name)
      program.addCommand(configured(command.summary(summary).helpGroup(GROUPS[group]), program))
    }
    if (args.length === 0) program.help({ error: true })
    await program.parseAsync(args, { from: 'user' })
    return code
  } catch (error) {
    const isObject = COMMANDS[args[0] ?? '']?.group === 'people' || args[0] === 'index'
    return failed(error, isObject && args.includes('--json'))
  }
}

/** Applies the program's usage error handling to a command and its subcommands. */
function configured<C extends CommandUnknownOpts>(command: C, program: CommandUnknownOpts): C {
  command.copyInheritedSettings(program)
  const path = command.parent?.name() ?? ''
  const help = `tidegate ${path ? `${path} ` : ''}${command.name()} --help`
  command.showHelpAfterError(`Run \`${help}\` for its options.`)
  for (const subcommand of command.commands) configured(subcommand, program)
  return command
}

/** Refuses a secret of an account among the arguments, without quoting it. Throws CommandError. */
function refuseKeys(args: string[]): void {
  const key = args.find((arg) =>
    /^--?(private-?key|key|pk|mnemonic|seed(-phrase)?|password|passphrase)(=|$)/i.test(arg),
  )
  // requests sample data, or is the number of a sample
  const isSampleData = key === '--seed' && (args[0] === 'dev' || args[0] === 'index')
  const at = args.findIndex((arg) => /^--(keystore|account)(=|$)/.test(arg))
  const value = at < 0 ? '' : (args[at]?.split('=')[1] ?? args[at + 1] ?? '')
  if ((key !== undefined && !isSampleData) || /^(0x)?[0-9a-fA-F]{64}$/.test(value))
    throw misuse(
      'keys and passwords are not accepted on the command line, where other users and the shell history can see them: use --keystore FILE with TIDEGATE_PASSWORD_FILE, or TIDEGATE_PRIVATE_KEY.',
    )
}

/** Reports an error on standard error, and with --json as an object on standard output. Returns the exit code. */
function failed(error: unknown, isJson: boolean): number {
  const { code, lines, exitCode, transactions } = failureOf(error)
  if (exitCode === 0) return 0
  // the argument parser has already printed its own errors
  if (!(error instanceof CommanderError)) for (const line of lines) note(`tidegate: ${line.replaceAll('\n', '\n  ')}`)
  for (const transaction of transactions.filter((one) => !lines.join().includes(one)))
    note(`tidegate: transaction sent: ${transaction}`)
  if (isJson) {
    const sent = transactions.length > 0 ? { transactions } : {}
    printJson({ error: { code, message: lines.join(' '), ...sent } })
  }
  return exitCode
}
