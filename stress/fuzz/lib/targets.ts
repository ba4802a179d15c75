import { readdirSync } from 'node:fs'

const FOLDER = new URL('../targets/', import.meta.url)

/** The module URLs of all targets by name: to add one, write its file. */
export const TARGETS: ReadonlyMap<string, string> = new Map(
  readdirSync(FOLDER)
    .filter((file) => file.endsWith('.ts'))
    .sort()
    .map((file) => [file.replace(/\.ts$/, ''), new URL(file, FOLDER).href]),
)
