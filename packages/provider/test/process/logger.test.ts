import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, it } from 'vitest'
import { owned } from '../../../../test/helpers/children.js'
import { REPOSITORY } from '../../../../test/helpers/pages.js'
import { builtPrograms } from '../../../../test/helpers/programs.js'

const LOGGER = 'packages/common/src/logger.ts'
/** The arguments of node for a program, and the module that it imports as LOGGER: built, since from source each takes four times as long. */
let begin: string[]
let logger: string
beforeAll(async () => {
  const folder = await builtPrograms(`logger-${process.pid}`, [LOGGER])
  logger = folder === undefined ? `./${LOGGER}` : join(folder, 'logger.mjs')
  begin = [...(folder === undefined ? ['--import', 'tsx'] : []), '--input-type=module', '-e']
})
const importing = (code: string) => [...begin, code.replaceAll(/\bLOGGER\b/g, JSON.stringify(logger))]

/** What a program has written to standard error. */
function written(code: string): Promise<string> {
  const child = spawn(process.execPath, importing(code), {
    cwd: REPOSITORY,
    env: { ...process.env, UV_THREADPOOL_SIZE: '1' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  return text(owned(child).stderr as NonNullable<typeof child.stderr>)
}

/** The messages that a process has logged which runs `program` with `log` and `logWritten`. */
async function logged(program: string): Promise<string[]> {
  const code = `
    import { pbkdf2 } from 'node:crypto'
    import { setTimeout as sleep } from 'node:timers/promises'
    const { createLogger, logWritten } = await import(LOGGER)
    const log = await createLogger({ LOG_LEVEL: 'info', LOG_FORMAT: 'json', LOG_ADDRESSES: 'none' })
    // the only thread that writes files and pipes has something else to do for a while
    const hold = () => pbkdf2('p', 's', 150_000, 64, 'sha512', () => undefined)
    ${program}`
  const output = await written(code)
  return output.split('\n').flatMap((line) => (line ? [(JSON.parse(line) as { msg: string }).msg] : []))
}

describe('the log', () => {
  it('has the last lines of a process that exits at once', async () => {
    expect(await logged(`hold(); log.info({}, 'last'); log.info({}, 'very last'); process.exit()`)).toEqual([
      'last',
      'very last',
    ])
  })

  it('has lines in their order that are being written, once it was waited for', async () => {
    const program = `hold(); log.info({}, 'first'); await sleep(50); log.info({}, 'last'); await logWritten(); process.exit()`
    expect(await logged(program)).toEqual(['first', 'last'])
  })

  it.each([
    ['full', { v4: '203.0.113.8', v6: '2001:db8:1:2::9', none: 'unknown', closed: undefined }],
    ['short', { v4: '203.0.113.0/24', v6: '2001:db8:1::/48', none: 'unknown', closed: undefined }],
    ['none', { v4: undefined, v6: undefined, none: undefined, closed: undefined }],
  ])('writes addresses by LOG_ADDRESSES: %s', async (how, expected) => {
    const output = await written(`
      const { createLogger, logWritten } = await import(LOGGER)
      const log = (await createLogger({ LOG_LEVEL: 'info', LOG_FORMAT: 'json', LOG_ADDRESSES: '${how}' })).child({})
      const addresses = { v4: '203.0.113.8', v6: '2001:db8:1:2::9', none: 'unknown', closed: undefined }
      for (const [name, remote] of Object.entries(addresses)) log.info({ remote }, name)
      await logWritten()`)
    const lines = output
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { msg: string; remote?: string })
    expect(Object.fromEntries(lines.map(({ msg, remote }) => [msg, remote]))).toEqual(expected)
  })

  it.each(['json', 'pretty'])('has no control characters and no invisible ones as %s (threat 134)', async (format) => {
    const hostile = 'x\u001b]0;owned\u0007\u001b[2J\u009b2J\b\u202e\u200b\u3164\u2028\ny'
    const code = `
      const { createLogger, logWritten } = await import(LOGGER)
      const log = await createLogger({ LOG_LEVEL: 'info', LOG_FORMAT: '${format}', LOG_ADDRESSES: 'none' })
      const hostile = ${JSON.stringify(hostile)}
      log.warn({ [hostile]: hostile, list: [{ hostile }] }, hostile)
      await logWritten()`
    const output = await written(code)
    expect(output).not.toMatch(/[^\P{C}\n]|[\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u)
    expect(output.match(/owned/g)).toHaveLength(4)
    expect(output.trimEnd().split('\n')).toHaveLength(1)
    if (format === 'json') expect(JSON.parse(output)).toMatchObject({ msg: hostile, [hostile]: hostile })
  })

  it('is not waited for if nothing was logged', async () => {
    expect(await logged('await logWritten(); process.exit()')).toEqual([])
  })
})

describe('a process', () => {
  it('goes on, and ends, where its log is on a full disk', async () => {
    const full = openSync('/dev/full', 'w')
    const code = `
      import { setTimeout as sleep } from 'node:timers/promises'
      const { createLogger, logWritten } = await import(LOGGER)
      const log = await createLogger({ LOG_LEVEL: 'info', LOG_FORMAT: 'json', LOG_ADDRESSES: 'none' })
      for (let at = 0; at < 5; at++) {
        log.info({}, 'a line')
        await sleep(30)
      }
      await logWritten()
      process.exit(7)`
    const child = spawn(process.execPath, importing(code), {
      cwd: REPOSITORY,
      stdio: ['ignore', 'ignore', full],
    })
    closeSync(full)
    expect(await once(owned(child), 'exit')).toEqual([7, null])
  })
})
