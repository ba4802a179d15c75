import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { builtPrograms } from '../helpers/programs.js'
import type { Said } from './deadline-child.js'

const CHILD = 'test/e2e/deadline-child.ts'
/** Milliseconds after which the child counts as hung: far more than it takes on a busy machine. */
const HUNG = 240_000

it('deadlines fire while garbage is collected, and leave no timer and no listener (threat 102)', async () => {
  const folder = await builtPrograms('deadline', [CHILD])
  const child = folder === undefined ? ['--import', 'tsx', CHILD] : [join(folder, 'deadline-child.mjs')]
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', ...child], { timeout: HUNG })
  const { ended, left } = JSON.parse(stdout) as Said
  expect(ended).toEqual({
    alone: 'TimeoutError',
    child: 'TimeoutError',
    fetch: 'TimeoutError',
    'body of fetch': 'TimeoutError',
    'outbound, a byte at a time': 'TimeoutError',
    node: 'TimeoutError',
    'node, a byte at a time': 'TimeoutError',
    client: 'TIMEOUT',
    'client, a byte at a time': 'TIMEOUT',
  })
  expect(left).toEqual({ timers: 0, listeners: 0 })
})
