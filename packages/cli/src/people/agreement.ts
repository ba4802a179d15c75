import { CommandError, EXIT } from '@tidegate/provider/commands/failures'
import { confirm, isInteractive } from './output/prompts.js'

interface Question {
  /** Whether --yes answers. */
  yes: boolean | undefined
  message: string
  /** The result of a no, such as "not bought". */
  otherwise: string
  /** The command line to which --yes is added. Default: the same. */
  again?: string
}

/** Asks before a transaction. Without a terminal, only --yes agrees. Throws CommandError `NOT_CONFIRMED`. */
export async function agreed({ yes, message, otherwise, again }: Question): Promise<void> {
  if (yes) return
  const refused = (text: string) => new CommandError('NOT_CONFIRMED', text, EXIT.notConfirmed)
  if (!isInteractive())
    throw refused(
      `${otherwise}: there is no terminal for the question. To agree, ${again ? `run: ${again} --yes` : 'repeat the command with --yes.'}`,
    )
  if (!(await confirm(message))) throw refused(`${otherwise}.`)
}
