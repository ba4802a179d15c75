import { readFileSync } from 'node:fs'

/** Returns the version in package.json of Tidegate: one folder above the build, three above this source file. */
export function packageVersion(): string {
  const here = import.meta.url
  const url = new URL(here.endsWith('.ts') ? '../../../package.json' : '../package.json', here)
  return (JSON.parse(readFileSync(url, 'utf8')) as { version: string }).version
}
