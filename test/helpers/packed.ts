import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { PREPARED, prepared } from './prepared.js'

/**
 * What npm packs of the build of this test run, unpacked into an empty folder. The first of a run makes it for the
 * others, which must not change it: to compress it takes seconds.
 */
export function packedService(): string {
  const run = process.env[PREPARED] as string
  const target = join(run, 'packed')
  if (prepared('packed') === undefined) {
    const own = mkdtempSync(join(run, 'packing-'))
    try {
      renameSync(packInto(own), target)
    } catch (error) {
      // another one that began at the same time was faster
      if (prepared('packed') === undefined) throw error
    } finally {
      rmSync(own, { recursive: true })
    }
  }
  return join(target, 'package')
}

/** Packs a copy without the packages beside it, whose manifests npm would read, and unpacks that. */
function packInto(folder: string): string {
  const [source, unpacked] = [join(folder, 'source'), join(folder, 'unpacked')]
  const checkout = prepared('checkout') as string
  const { files } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as { files: string[] }
  for (const name of ['package.json', ...files.filter((file) => !file.startsWith('!'))]) {
    const from = name === 'dist' ? (prepared('build', 'dist') as string) : join(checkout, name)
    cpSync(from, join(source, name), { recursive: true })
  }
  const [{ filename }] = JSON.parse(
    execFileSync('npm', ['pack', '--json'], { cwd: source, encoding: 'utf8', stdio: 'pipe' }),
  )
  mkdirSync(unpacked)
  execFileSync('tar', ['-xzf', join(source, filename), '-C', unpacked])
  return unpacked
}
