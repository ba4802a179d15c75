import { CommandError, EXIT } from '@tidegate/provider/commands/failures'

/** Whether questions are possible. They go to standard error, as standard output may be a file. */
export const isInteractive = () => process.stdin.isTTY === true && process.stderr.isTTY === true

export const interrupted = (message = 'interrupted.', transactions: readonly string[] = []) =>
  new CommandError('INTERRUPTED', message, EXIT.interrupted, transactions)

/** Asks a question with the default no. Throws CommandError if it is interrupted. */
export async function confirm(message: string): Promise<boolean> {
  const prompts = await import('@clack/prompts')
  const answer = await prompts.confirm({ message, initialValue: false, output: process.stderr, withGuide: false })
  if (prompts.isCancel(answer)) throw interrupted()
  return answer
}

/** Asks for one of some values. Throws CommandError if it is interrupted. */
export async function choose(
  message: string,
  options: { value: string; label: string; hint: string }[],
): Promise<string> {
  const prompts = await import('@clack/prompts')
  const answer = await prompts.select({ message, options, output: process.stderr, withGuide: false })
  if (prompts.isCancel(answer)) throw interrupted()
  return answer
}

/** Asks for a password without showing it. Throws CommandError if it is interrupted. */
export async function askPassword(message: string): Promise<string> {
  const prompts = await import('@clack/prompts')
  const answer = await prompts.password({ message, output: process.stderr, withGuide: false })
  if (prompts.isCancel(answer)) throw interrupted()
  // empty input
  return answer ?? ''
}
