import { cpSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './built.js'

/** What a checkout does not contain. */
const LEFT_OUT = new Set(['.git', 'node_modules', 'dist', 'coverage', 'tidegate-state'])

/** Copies the current sources into a folder, and links the installed packages beside them. */
export function copySources(folder: string): void {
  for (const name of readdirSync(ROOT))
    if (!LEFT_OUT.has(name)) cpSync(join(ROOT, name), join(folder, name), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
}
