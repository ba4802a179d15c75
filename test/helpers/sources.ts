import { cpSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './built.js'

/** What a checkout does not contain. */
const LEFT_OUT = new Set(['.git', 'node_modules', 'dist', 'coverage', 'tidegate-state'])

/** Copies the current sources into a folder, and links the installed packages beside them. */
export function copySources(folder: string): void {
  copyBut(LEFT_OUT, folder)
}

/** The same of what `docker build` gets. */
export function copyForImage(folder: string): void {
  const ignored = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n').filter(Boolean)
  copyBut(new Set(ignored), folder)
}

function copyBut(leftOut: Set<string>, folder: string): void {
  for (const name of readdirSync(ROOT))
    if (!leftOut.has(name)) cpSync(join(ROOT, name), join(folder, name), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
}
