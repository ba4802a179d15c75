import { execFileSync } from 'node:child_process'
import { copyFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The root folder of the repository. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Builds the service into a folder, with only what a production installation has beside it. Returns the entry point,
 * which starts several times as fast as the source.
 */
export function build(folder: string): string {
  execFileSync(process.execPath, ['scripts/build.mjs', join(folder, 'dist')], { cwd: ROOT })
  withPackages(folder)
  return join(folder, 'dist', 'cli.js')
}

/** Puts beside a build what a production installation has there. */
export function withPackages(folder: string): void {
  copyFileSync(join(ROOT, 'package.json'), join(folder, 'package.json'))
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
}
