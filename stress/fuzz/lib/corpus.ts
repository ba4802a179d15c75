import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { decode, encode } from './encoding.js'

/** A saved input, which once revealed a fault or reaches code that generators seldom reach. */
export interface SavedInput {
  file: string
  /** The fault, or the purpose. */
  about: string
  input: unknown
}

export const CORPUS = fileURLToPath(new URL('../corpus', import.meta.url))

/** Returns the saved inputs of a target, in the order of their file names. */
export function savedInputs(target: string, folder = CORPUS): SavedInput[] {
  const own = join(folder, target)
  if (!existsSync(own)) return []
  return readdirSync(own)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => {
      const { about, input } = JSON.parse(readFileSync(join(own, name), 'utf8')) as { about: string; input: unknown }
      return { file: name, about, input: decode(input) }
    })
}

/** Saves an input permanently and returns the path of its file. */
export function saveInput(target: string, about: string, input: unknown, folder = CORPUS): string {
  const text = `${JSON.stringify({ about, input: encode(input) }, null, 2)}\n`
  const file = join(folder, target, `${createHash('sha256').update(text).digest('hex').slice(0, 12)}.json`)
  mkdirSync(join(folder, target), { recursive: true })
  writeFileSync(file, text)
  return file
}
