import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { builtPrograms } from './helpers/programs.js'

const PROGRAM = 'stress/simulate/run.ts'

/** Runs in a separate process, since the simulation replaces the clock and the network. */
describe('the index on simulated chains', () => {
  it('equals a fresh index after any faults of nodes and chain (threat 75)', async () => {
    const built = await builtPrograms('simulation', [PROGRAM])
    const program = built === undefined ? ['--import', 'tsx', PROGRAM] : [join(built, 'run.mjs')]
    const args = [...program, '--seeds', '6', '--from', '20261122']
    const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 500_000 })
    expect({ status, stdout, stderr }).toEqual({
      status: 0,
      stdout: '6 histories from seed 20261122: all consistent\n',
      stderr: '',
    })
  })
})
