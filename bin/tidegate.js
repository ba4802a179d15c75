#!/usr/bin/env node
// The command of the package. In a checkout it is there before a build, which makes dist/, and says what is missing.
import { existsSync } from 'node:fs'

const command = new URL('../dist/cli.js', import.meta.url)
if (existsSync(command)) await import(command.href)
else {
  process.stderr.write('Tidegate is not built in this checkout. Run once: npm run build\n')
  process.exitCode = 1
}
