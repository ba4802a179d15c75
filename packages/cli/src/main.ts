#!/usr/bin/env node
import { stopSignal } from '@tidegate/provider/signals'

const args = process.argv.slice(2)
// before the service's modules are loaded, which takes most of the startup time
if (args[0] === 'start' || args[0] === 'dev') void stopSignal()

// a reader that closes the pipe early, such as `head`, is not a failure
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE') process.exit()
  const reason = code === 'ENOSPC' || code === 'EDQUOT' ? 'no space is left' : `it cannot be written to: ${code}`
  process.stderr.write(`tidegate: standard output: ${reason}.\n`)
  process.exit(1)
})
// there is nobody to tell
process.stderr.on('error', () => undefined)

const [{ run }, { EXIT }] = await Promise.all([import('./run.js'), import('@tidegate/provider/commands/failures')])
const code = await run(args)
// at its end the process would write the last lines of the log before those that are being written
if (args[0] === 'start') await (await import('@tidegate/common/logger')).logWritten()
// requests in flight must not keep a stopped service from exiting, nor a command that was interrupted
if (args[0] === 'start' || code === EXIT.interrupted) process.exit(code)
process.exitCode = code
