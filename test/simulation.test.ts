import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'

/** In a process of its own, since the simulation takes the time and the network over. */
describe('the index over histories of a scripted chain', () => {
  it('ends equal to one that is read afresh, whatever nodes and chain did (threat 75)', () => {
    const args = ['--import', 'tsx', 'fuzz/simulate.ts', '--seeds', '6', '--from', '20261122']
    const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 55_000 })
    expect({ status, stdout, stderr }).toEqual({
      status: 0,
      stdout: '6 histories from seed 20261122: all well\n',
      stderr: '',
    })
  })
})
