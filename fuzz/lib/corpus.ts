import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { decode, encode } from './encoding.js'

/** A kept input: one that was once a fault, or leads where generators seldom come. */
export interface Kept {
  file: string
  /** What was wrong, or what it is for. */
  about: string
  input: unknown
}

export const CORPUS = fileURLToPath(new URL('../corpus', import.meta.url))

/** The kept inputs of a target, in the order of their names. */
export function keptInputs(target: string, folder = CORPUS): Kept[] {
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

/** Keeps an input for good; answers the name of its file. */
export function keep(target: string, about: string, input: unknown, folder = CORPUS): string {
  const text = `${JSON.stringify({ about, input: encode(input) }, null, 2)}\n`
  const file = join(folder, target, `${createHash('sha256').update(text).digest('hex').slice(0, 12)}.json`)
  mkdirSync(join(folder, target), { recursive: true })
  writeFileSync(file, text)
  return file
}
