import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { workersHere } from './worker-count.js'

const MIB = 1_048_576
const MACHINE = { cores: 8, memory: 64 * 1024 * MIB }

/** A file system with these files. */
function rootWith(files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), 'tidegate-test-'))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
  }
  return root
}

describe('WORKERS=auto', () => {
  const own = { 'proc/self/cgroup': '0::/system.slice/tidegate.service\n' }
  const unit = 'sys/fs/cgroup/system.slice/tidegate.service'
  it.each([
    ['all cores without control groups', {}, 8],
    ['all cores with version 1 of them', { 'proc/self/cgroup': '4:memory:/a\n1:cpu:/a\n' }, 8],
    ['all cores without limits', { ...own, [`${unit}/cpu.max`]: 'max 100000\n', [`${unit}/memory.max`]: 'max\n' }, 8],
    ['the CPU quota of a container', { 'proc/self/cgroup': '0::/\n', 'sys/fs/cgroup/cpu.max': '300000 100000\n' }, 3],
    ['whole cores of a quota', { ...own, [`${unit}/cpu.max`]: '250000 100000\n' }, 2],
    ['one with less than a core', { ...own, [`${unit}/cpu.max`]: '50000 100000\n' }, 1],
    ['the quota of an outer group', { ...own, 'sys/fs/cgroup/system.slice/cpu.max': '200000 100000\n' }, 2],
    ['as many as fit into memory', { ...own, [`${unit}/memory.max`]: `${1600 * MIB}\n` }, 3],
    ['one with little memory', { ...own, [`${unit}/memory.max`]: `${100 * MIB}\n` }, 1],
    ['all cores with unreadable limits', { ...own, [`${unit}/cpu.max`]: 'x\n', [`${unit}/memory.max`]: '' }, 8],
  ] as [string, Record<string, string>, number][])('is %s', (_name, files, expected) => {
    expect(workersHere(rootWith(files), MACHINE)).toBe(expected)
  })

  it('is bounded by the memory of the machine', () => {
    expect(workersHere(rootWith({}), { cores: 8, memory: 1100 * MIB })).toBe(2)
    expect(workersHere()).toBeGreaterThanOrEqual(1)
  })
})
