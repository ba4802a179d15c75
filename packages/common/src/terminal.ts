import { fstatSync } from 'node:fs'
import { visibleJson, visibleLines } from './visible-text.js'

/**
 * Prints lines of a result to standard output. All output of the commands goes through this file: texts of strangers reach
 * a terminal as visible characters only.
 */
export function print(...lines: string[]): void {
  process.stdout.write(visibleLines(`${lines.join('\n')}\n`))
}

/**
 * Prints the heading of a CSV table. Excel reads UTF-8 only with a byte order mark, so a new file begins with one. Programs
 * at a pipe would take it for a part of the first name.
 */
export function printCsvHeading(heading: string): void {
  process.stdout.write(`${isNewFile() ? '\ufeff' : ''}${heading}\n`)
}

/** Whether standard output is an empty file. */
function isNewFile(): boolean {
  const stats = fstatSync(1, { bigint: true })
  return stats.isFile() && stats.size === 0n
}

/** Prints a result for programs: JSON in one line. Amounts are decimal strings, times ISO 8601. */
export function printJson(value: unknown): void {
  process.stdout.write(`${jsonText(value)}\n`)
}

/** Prints lines to standard error: progress, warnings and errors. */
export function note(...lines: string[]): void {
  process.stderr.write(visibleLines(`${lines.join('\n')}\n`))
}

/** Returns JSON in one line of visible characters, others escaped. */
export function jsonText(value: unknown): string {
  return visibleJson(JSON.stringify(value, (_, entry) => (typeof entry === 'bigint' ? `${entry}` : entry)))
}
