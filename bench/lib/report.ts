import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Options } from './benchmark.js'

/** One row of a table: values by column. */
export type Row = Record<string, string | number>

const RESULTS = fileURLToPath(new URL('../results/', import.meta.url))

/** Prints a table, and writes it as JSON with details of the machine; smoke runs go to a separate folder. */
export function report(name: string, title: string, rows: Row[], { smoke }: Options): void {
  process.stdout.write(`\n${title}\n`)
  console.table(rows)
  const folder = smoke ? `${RESULTS}smoke/` : RESULTS
  mkdirSync(folder, { recursive: true })
  const machine = { node: process.version, cpu: cpus()[0]?.model, cores: cpus().length, memory: totalmem() }
  const result = { name, title, time: new Date().toISOString(), machine, rows }
  writeFileSync(`${folder}${name}.json`, `${JSON.stringify(result, null, 2)}\n`)
}

/** Returns the upper median. */
export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] as number
}

export function quantile(values: number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] as number
}

/** Returns minimum and maximum relative to the median, in percent. */
export function spread(values: number[]): string {
  const middle = median(values)
  return `${Math.round((Math.min(...values) / middle - 1) * 100)}…+${Math.round((Math.max(...values) / middle - 1) * 100)} %`
}

export function rounded(value: number, digits = 2): number {
  return Number(value.toFixed(digits))
}
