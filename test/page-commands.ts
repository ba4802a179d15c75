import { readFileSync } from 'node:fs'
import type { Command } from '@commander-js/extra-typings'
import { COMMANDS } from '../packages/cli/src/commands.js'
import { type Page, REPOSITORY } from './helpers/pages.js'

/** Texts in a page that may be commands: the lines of shell blocks, and code in the prose. */
export function commandTexts({ blocks, prose }: Page): string[] {
  const shell = blocks.filter(({ language }) => language === 'sh').map(({ text }) => text.replaceAll('\\\n', ' '))
  const indented = [...prose.matchAll(/^ {4}(npm .+)$/gm)].map(([, line]) => line as string)
  return [...shell.flatMap((text) => text.split('\n')), ...indented, ...codeOf(prose)]
}

/** Inline code in the prose of a page. */
export function codeOf(prose: string): string[] {
  return [...prose.matchAll(/`([^`\n]+)`/g)].map(([, code]) => code as string)
}

interface Manifest {
  scripts: Record<string, string>
  devDependencies: Record<string, string>
}
const manifest = (folder = '') => JSON.parse(readFileSync(`${REPOSITORY}${folder}package.json`, 'utf8')) as Manifest
const { scripts } = manifest()
const commands = JSON.parse(readFileSync(`${REPOSITORY}scripts/commands.json`, 'utf8')) as Record<
  string,
  { run: string[] }
>
const devDependencies = { ...manifest().devDependencies, ...manifest('test/').devDependencies }

/** The problems of the commands in a text: scripts, commands and options that do not exist. */
export async function commandProblems(text: string): Promise<string[]> {
  const problems: string[] = []
  for (const [command, script = '', rest = ''] of matches(text, /npm run ([\w:-]+)((?:(?! && | \| ).)*)/g)) {
    if (!scripts[script]) problems.push(`${command}: no such script`)
    else problems.push(...(await scriptProblems(script, rest)).map((why) => `${command}: ${why}`))
  }
  for (const [command, tool = ''] of matches(text, /npx (?!tidegate)([\w@/-]+)/g))
    if (!devDependencies[tool]) problems.push(`${command}: not among the devDependencies`)
  // in these, tidegate is the name of a release, an object or a container
  if (/^(kubectl|helm|docker) /.test(text)) return problems
  const tidegate = /(?:^|[\s&|])(?:npx )?(?:tidegate|node dist\/cli\.js)((?: (?!&&|\||#)[^\s]+)+)/g
  for (const [command, rest = ''] of matches(text, tidegate))
    problems.push(...(await tidegateProblems(rest.trim().split(/\s+/))).map((why) => `${command.trim()}: ${why}`))
  return problems
}

function matches(text: string, pattern: RegExp): [string, ...string[]][] {
  return [...text.matchAll(pattern)] as unknown as [string, ...string[]][]
}

const optionsIn = (text: string) =>
  [...text.matchAll(/(?:^|[\s[])(--[a-z][a-z\d-]*)/g)].map(([, option]) => option as string)

async function scriptProblems(script: string, rest: string): Promise<string[]> {
  const given = /^ -- (.*)/.exec(rest)?.[1]
  if (given === undefined) return []
  if (script === 'dev') return tidegateProblems(['dev', ...given.split(/\s+/)])
  const known = await optionsOfScript(script)
  return optionsIn(given)
    .filter((option) => !known.has(option))
    .map((option) => `no option ${option}`)
}

/** The options that the program of a script in package.json declares to parseArgs. */
async function optionsOfScript(script: string): Promise<Set<string>> {
  const program = /(?:tsx|node) ([\w/.-]+)$/.exec(commands[script]?.run.at(-1) ?? '')?.[1]
  const source = program ? readFileSync(REPOSITORY + program, 'utf8') : ''
  return new Set([...source.matchAll(/(\w+): \{ type: '(?:string|boolean)'/g)].map(([, name]) => `--${name}`))
}

/** The problems of the arguments of `tidegate`. Placeholders in capitals and angle brackets stand for values. */
async function tidegateProblems(args: string[]): Promise<string[]> {
  const [name = '', ...rest] = args
  if (name.startsWith('--')) return ['--help', '--version'].includes(name) ? [] : [`no option ${name}`]
  if (name === 'COMMAND' || name === '"$@"') return []
  const entry = COMMANDS[name]
  if (!entry) return [`no command ${name}`]
  let command = (await entry.load()).command(() => undefined) as unknown as Command
  const sub = command.commands.find((one) => one.name() === rest[0])
  const takesNone = command.registeredArguments.length === 0
  if (command.commands.length > 0 && takesNone && rest[0] && !sub) return [`${name} has no command ${rest[0]}`]
  command = (sub ?? command) as Command
  const known = new Set([...command.options.map(({ long }) => long), '--help'])
  return optionsIn(rest.join(' '))
    .filter((option) => !known.has(option))
    .map((option) => `no option ${option}`)
}

/** Every option of the commands of `tidegate` and of the scripts in package.json. */
export async function allOptions(): Promise<Set<string>> {
  const all = new Set(['--help', '--version', '--no-save'])
  for (const { load } of Object.values(COMMANDS)) {
    const command = (await load()).command(() => undefined) as unknown as Command
    for (const { options } of [command, ...command.commands]) for (const { long } of options) if (long) all.add(long)
  }
  for (const script of Object.keys(scripts)) for (const option of await optionsOfScript(script)) all.add(option)
  return all
}
