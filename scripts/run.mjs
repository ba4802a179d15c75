// Runs a script of package.json: `node scripts/run.mjs NAME [ARGUMENTS]`. commands.json lists its commands; the last one
// gets the arguments. Installs missing packages first. Needs only Node, and no shell.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (...path) => JSON.parse(readFileSync(join(root, ...path), 'utf8'))

/** Package names of programs with another name. The compiler that only checks takes a quarter of the time of the one with an API. */
const PACKAGE_OF = { biome: '@biomejs/biome', depcruise: 'dependency-cruiser', tsc: 'typescript-native' }

/** Returns the arguments with which node runs a program. */
function argumentsOf(program) {
  if (program === 'node') return []
  if (program === 'tsx') return ['--import', 'tsx']
  const folder = join('node_modules', PACKAGE_OF[program] ?? program)
  const { bin } = read(folder, 'package.json')
  return [join(root, folder, bin[program])]
}

/** Runs node until it exits. Resolves to its exit code. */
function run(args) {
  const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' })
  const forward = (signal) => child.kill(signal)
  process.on('SIGTERM', forward)
  return new Promise((resolve) => {
    child.once('close', (code) => {
      process.off('SIGTERM', forward)
      resolve(code ?? 1)
    })
  })
}

const [name = '', ...args] = process.argv.slice(2)
const script = read('scripts', 'commands.json')[name]
if (script === undefined) throw new Error(`scripts/commands.json has no script ${name}.`)
// Ctrl-C also reaches the child, which decides when to exit
process.on('SIGINT', () => undefined)
const commands = script.run.map((command) => command.split(' '))
commands.at(-1)?.push(...args)
let code = await run(['scripts/ensure-installed.mjs', ...(script.packages ?? [])])
for (const [program, ...own] of commands) if (code === 0) code = await run([...argumentsOf(program), ...own])
process.exit(code)
