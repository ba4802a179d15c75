import { visible, visibleLines } from '@tidegate/common/visible-text'
import { CommandError, EXIT } from '@tidegate/provider/commands/failures'

/** Whether questions are possible. They go to standard error, as standard output may be a file. */
export const isInteractive = () => process.stdin.isTTY === true && process.stderr.isTTY === true

export const interrupted = (message = 'interrupted.', transactions: readonly string[] = []) =>
  new CommandError('INTERRUPTED', message, EXIT.interrupted, transactions)

const LOOK = { output: process.stderr, withGuide: false }

/** Asks a question with the default no. Throws CommandError if it is interrupted. */
export async function confirm(message: string): Promise<boolean> {
  const prompts = await import('@clack/prompts')
  const answer = await prompts.confirm({ message: visibleLines(message), initialValue: false, ...LOOK })
  if (prompts.isCancel(answer)) throw interrupted()
  return answer
}

/** Asks for one of some values. Throws CommandError if it is interrupted. */
export async function choose(
  message: string,
  options: { value: string; label: string; hint: string }[],
): Promise<string> {
  const prompts = await import('@clack/prompts')
  const shown = options.map(({ value, label, hint }) => ({ value, label: visible(label), hint: visible(hint) }))
  const answer = await prompts.select({ message: visibleLines(message), options: shown, ...LOOK })
  if (prompts.isCancel(answer)) throw interrupted()
  return answer
}

/** Asks for a password without showing it. Throws CommandError if it is interrupted. */
export async function askPassword(message: string): Promise<string> {
  const prompts = await import('@clack/prompts')
  const answer = await prompts.password({ message: visibleLines(message), ...LOOK })
  if (prompts.isCancel(answer)) throw interrupted()
  // empty input
  return answer ?? ''
}
