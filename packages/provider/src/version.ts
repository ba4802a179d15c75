import { readFileSync } from 'node:fs'

/** The version of Tidegate: that of the package, which is one folder above the build, and three above this file. */
export function packageVersion(): string {
  const here = import.meta.url
  const url = new URL(here.endsWith('.ts') ? '../../../package.json' : '../package.json', here)
  return (JSON.parse(readFileSync(url, 'utf8')) as { version: string }).version
}
