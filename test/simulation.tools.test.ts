import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { builtPrograms } from './helpers/programs.js'

const PROGRAM = 'stress/simulate/run.ts'

/** Runs in a separate process, since the simulation replaces the clock and the network. */
describe('the index on simulated chains', () => {
  it.each([
    ['after any faults of nodes and chain (threat 75)', 6, 20261122],
    ['after restarts behind an address that mixes moments (threat 128)', 1, 5015],
    ['after a reorganisation while it catches up behind such an address (threat 128)', 1, 100033],
    ['after a rebuild and a reorganisation behind such an address (threat 128)', 1, 6015],
  ])('equals a fresh index %s', async (_, seeds, from) => {
    const built = await builtPrograms('simulation', [PROGRAM])
    const program = built === undefined ? ['--import', 'tsx', PROGRAM] : [join(built, 'run.mjs')]
    const args = [...program, '--seeds', String(seeds), '--from', String(from)]
    const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 500_000 })
    expect({ status, stdout, stderr }).toEqual({
      status: 0,
      stdout: `${seeds} histories from seed ${from}: all consistent\n`,
      stderr: '',
    })
  })
})
