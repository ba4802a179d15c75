import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { program } from '../../../../test/helpers/command.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { startInstance } from '../../../../test/helpers/instance.js'

const PROBED = ['--import', join(import.meta.dirname, 'heap-probe.mjs')]
const bytesIn = (text: string) => Number(/^largest heap (\d+)$/m.exec(text)?.[1])

/** The largest heap of a process that only replaces objects. */
async function largestAlone(): Promise<number> {
  const { stderr } = await promisify(execFile)(process.execPath, [...PROBED, '-e', 'process.emit("SIGUSR2")'])
  return bytesIn(stderr)
}

/** The largest heap of the service while it replaces the same objects. */
async function largestInService(): Promise<number> {
  const service = await startInstance(
    {
      NETWORK_URL: '{"11155111":"http://127.0.0.1:1"}',
      PROVIDER_PRIVATE_KEY: `0x${'11'.repeat(32)}`,
      STATE_DIR: newFolder(),
    },
    [...PROBED, ...program()],
  )
  service.process.kill('SIGUSR2')
  const largest = () => bytesIn(service.lines.join('\n'))
  await eventually(() => largest() > 0)
  await service.end()
  return largest()
}

it('the heap of the service holds less garbage than that of another process', async () => {
  const [alone, service] = await Promise.all([largestAlone(), largestInService()])
  // about a half on Node 20, 22 and 24
  expect(service).toBeLessThan(alone * 0.75)
})
