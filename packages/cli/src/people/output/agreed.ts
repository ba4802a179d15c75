import { CommandError, EXIT } from '@tidegate/provider/commands/failures'
import { confirm, isInteractive } from './prompts.js'

/** Asks before a transaction is sent. Without a terminal, only --yes agrees. Throws CommandError `NOT_CONFIRMED`. */
export async function assertAgreed(question: string, notDone: string): Promise<void> {
  const refused = (why: string) => new CommandError('NOT_CONFIRMED', `${notDone}${why}.`, EXIT.notConfirmed)
  if (!isInteractive()) throw refused(': there is no terminal for the question. To agree, add --yes')
  if (!(await confirm(question))) throw refused('')
}
