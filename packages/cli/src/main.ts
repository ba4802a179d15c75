#!/usr/bin/env node
import { stopSignal } from '@tidegate/provider/signals'

const args = process.argv.slice(2)
// before the service's modules load, which takes most of the startup
if (args[0] === 'start' || args[0] === 'dev') void stopSignal()

// a reader that closes the pipe early, such as `head`, is not a failure
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE') process.exit()
  const reason = code === 'ENOSPC' || code === 'EDQUOT' ? 'no space is left' : `it cannot be written to: ${code}`
  process.stderr.write(`tidegate: standard output: ${reason}.\n`)
  process.exit(1)
})
// no other stream is left for a report
process.stderr.on('error', () => undefined)

const [{ run }, { EXIT }] = await Promise.all([import('./run.js'), import('@tidegate/provider/commands/failures')])
const code = await run(args)
// else the process ends before the last lines of the log are written
if (args[0] === 'start') await (await import('@tidegate/common/logger')).logWritten()
// neither requests of a stopped service nor an interrupted command keep the process alive
if (args[0] === 'start' || code === EXIT.interrupted) process.exit(code)
process.exitCode = code
