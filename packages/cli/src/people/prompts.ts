import { CommandError, EXIT } from '@tidegate/provider/commands/failures'

/** Whether there is somebody to ask. Questions go to standard error, as standard output may be a file. */
export const isInteractive = () => process.stdin.isTTY === true && process.stderr.isTTY === true

export const interrupted = (message = 'interrupted.', transactions: readonly string[] = []) =>
  new CommandError('INTERRUPTED', message, EXIT.interrupted, transactions)

/** Asks a question whose safe answer is no. Throws CommandError when it is interrupted. */
export async function confirm(message: string): Promise<boolean> {
  const prompts = await import('@clack/prompts')
  const answer = await prompts.confirm({ message, initialValue: false, output: process.stderr, withGuide: false })
  if (prompts.isCancel(answer)) throw interrupted()
  return answer
}

/** Asks for a password, which is not shown. Throws CommandError when it is interrupted. */
export async function askPassword(message: string): Promise<string> {
  const prompts = await import('@clack/prompts')
  const answer = await prompts.password({ message, output: process.stderr, withGuide: false })
  if (prompts.isCancel(answer)) throw interrupted()
  // nothing typed
  return answer ?? ''
}
