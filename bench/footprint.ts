import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { eventually } from '../test/helpers/eventually.js'
import { World } from '../test/helpers/world.js'
import type { Benchmark } from './lib/benchmark.js'
import { resident } from './lib/processes.js'
import { median, type Row, report, rounded, spread } from './lib/report.js'
import { DIST, Service } from './lib/stage.js'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Measures time to readiness on an existing store, idle memory, and installed size. */
export const footprint: Benchmark = async (options) => {
  const { smoke } = options
  const rows: Row[] = []
  const world = await World.start()
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-bench-'))
  const settings = world.beside({ STATE_DIR: join(folder, 'state') })
  try {
    const seconds: number[] = []
    const memory: number[] = []
    // a smoke run compares nothing
    for (let round = smoke ? 1 : 0; round <= (smoke ? 1 : 5); round++) {
      const begun = performance.now()
      const service = await Service.start(settings, folder)
      await eventually(async () => (await fetch(`${service.url}/ready`)).status === 200)
      // the first round creates the store
      if (round > 0) seconds.push((performance.now() - begun) / 1000)
      await new Promise((resolve) => setTimeout(resolve, smoke ? 0 : 3000))
      if (round > 0) memory.push(resident(service.process.pid as number))
      await service.stop()
    }
    rows.push({ what: 'seconds to ready', value: rounded(median(seconds)), spread: spread(seconds) })
    rows.push({ what: 'idle memory, MiB', value: Math.round(median(memory)), spread: spread(memory) })
  } finally {
    await world.close()
    rmSync(folder, { recursive: true })
  }
  if (!smoke) rows.push(...installed())
  report('footprint', 'Start, memory, installation', rows, options)
}

/** Measures the size of a production installation: `npm ci --omit=dev` and the build. */
function installed(): Row[] {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-bench-'))
  for (const file of ['package.json', 'package-lock.json', '.npmrc']) copyFileSync(join(ROOT, file), join(folder, file))
  cpSync(DIST, join(folder, 'dist'), { recursive: true })
  const { status } = spawnSync('npm', ['ci', '--omit=dev', '--silent'], { cwd: folder, stdio: 'ignore' })
  if (status !== 0) throw new Error('npm ci has failed.')
  const mebibytes = (path: string) => Number(execFileSync('du', ['-sm', path], { encoding: 'utf8' }).split('\t')[0])
  const lock = JSON.parse(readFileSync(join(folder, 'node_modules', '.package-lock.json'), 'utf8'))
  const all = mebibytes(folder)
  for (const name of ['@foundry-rs', '@oceanprotocol']) rmSync(join(folder, 'node_modules', name), { recursive: true })
  const rows = [
    { what: 'installed with the local chain, MiB', value: all, spread: '' },
    { what: 'installed as in the image, MiB', value: mebibytes(folder), spread: '' },
    { what: 'packages', value: Object.keys(lock.packages).length, spread: '' },
  ]
  rmSync(folder, { recursive: true })
  return rows
}
