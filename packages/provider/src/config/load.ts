import { parseEnv } from 'node:util'
import { readTextFile } from '@tidegate/common'
import { StartError } from '@tidegate/protocol'
import { distance } from 'fastest-levenshtein'
import { contradictions } from './contradictions.js'
import { SETTINGS, type Setting, type SettingName, type Settings } from './schema.js'

/** Wrong settings. `problems` has a line for each reason and quotes no secret. */
export class ConfigError extends StartError {
  constructor(problems: string[]) {
    super(problems)
    this.name = 'ConfigError'
  }
}

type Environment = Record<string, string | undefined>

/**
 * Reads and validates the settings from the environment and an optional file (NAME=value lines); the environment wins.
 * An empty value counts as not set, unless it turns something off. With `needs: 'database'`, keys and nodes may be missing.
 * Throws one ConfigError with every problem.
 */
export function loadSettings(own: Environment, file?: string, needs: 'all' | 'database' = 'all'): Settings {
  const environment = withoutReturns(own)
  const problems: string[] = []
  const text = file === undefined ? '' : readSettingsFile(file, problems)
  for (const line of linesWithoutValue(text)) problems.push(`Line ${line} of ${file}: is not of the form NAME=value.`)
  // Node 20 takes a comment in the last line for a name if the line does not end
  const fromFile = parseEnv(`${text}\n`) as Environment
  for (const name of Object.keys(fromFile)) {
    if (/[\r\n]/.test(name)) continue
    // no unknown name is quoted: it may be a key in the wrong place
    if (!isKnown(name)) problems.push(`Line ${lineOf(name, text)} of ${file}: ${unknownName(name)}`)
  }
  for (const name of Object.keys(environment)) {
    // the environment belongs to other programs too: only near misses are reported
    const near = isKnown(name) ? undefined : nearest(name)
    if (near) problems.push(`${name}: no such setting. Did you mean ${near}?`)
  }
  const values: Record<string, unknown> = {}
  for (const [name, definition] of Object.entries(SETTINGS) as [SettingName, Setting<unknown>][]) {
    const lookup = (other: string) => environment[other] || fromFile[other] || undefined
    if ('empty' in definition && (environment[name] ?? fromFile[name]) === '') {
      values[name] = definition.empty
      continue
    }
    const raw = lookup(name) ?? secretFromFile(name, definition, lookup, problems) ?? legacyValue(definition, lookup)
    if (raw === undefined) {
      values[name] = definition.default
      const { required, alternatives = [], doc } = definition
      const hasAlternative = alternatives.some((other) => (lookup(other) ?? lookup(`${other}_FILE`)) !== undefined)
      if (needs === 'all' && required && !hasAlternative && !problems.some((line) => line.startsWith(`${name}_FILE`)))
        problems.push(`${name}: is required. ${doc}`)
      continue
    }
    try {
      values[name] = definition.parse(raw)
    } catch (error) {
      problems.push(`${name}: ${(error as Error).message}.`)
    }
  }
  if (problems.length === 0 && needs === 'all') problems.push(...contradictions(values as Settings))
  if (problems.length > 0) throw new ConfigError(problems)
  return values as Settings
}

/** Reads the text of a single setting, for commands that need no other. Throws ConfigError. */
export function singleSetting(name: SettingName, own: Environment, file?: string): string | undefined {
  const environment = withoutReturns(own)
  const problems: string[] = []
  const fromFile: Environment = file === undefined ? {} : parseEnv(readSettingsFile(file, problems))
  const lookup = (other: string) => environment[other] || fromFile[other] || undefined
  const raw = lookup(name) ?? secretFromFile(name, SETTINGS[name], lookup, problems)
  if (problems.length > 0) throw new ConfigError(problems)
  return raw
}

/** Removes carriage returns at the end of values: some programs pass on Windows files unchanged, like `docker run --env-file`. */
export function withoutReturns(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, value?.replace(/\r$/, '')]))
}

type Lookup = (name: string) => string | undefined

/** Reads a secret from the file at NAME_FILE. */
function secretFromFile(name: string, { secret }: Setting<unknown>, lookup: Lookup, problems: string[]) {
  const path = secret ? lookup(`${name}_FILE`) : undefined
  if (path === undefined) return undefined
  try {
    return readTextFile(path).trim() || undefined
  } catch (error) {
    // the path is not quoted: it may be the secret itself, under the wrong name
    problems.push(
      `${name}_FILE: the file that it names cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'not text'}.`,
    )
    return undefined
  }
}

/** Returns the value of the legacy name in the current unit. */
function legacyValue({ legacy, legacyFactor }: Setting<unknown>, lookup: Lookup): string | undefined {
  const raw = legacy === undefined ? undefined : lookup(legacy)
  return legacyFactor !== undefined && raw && /^\d+$/.test(raw) ? String(Number(raw) * legacyFactor) : raw
}

function readSettingsFile(file: string, problems: string[]): string {
  try {
    return readTextFile(file)
  } catch (error) {
    problems.push(`The settings file ${file} cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'not text'}.`)
    return ''
  }
}

const LEGACY_NAMES = new Set((Object.values(SETTINGS) as Setting<unknown>[]).flatMap(({ legacy }) => legacy ?? []))

function isKnown(name: string): boolean {
  if (Object.hasOwn(SETTINGS, name) || LEGACY_NAMES.has(name)) return true
  const base = name.replace(/_FILE$/, '')
  const secret = Object.hasOwn(SETTINGS, base) && (SETTINGS as Record<string, Setting<unknown>>)[base]?.secret
  return base !== name && secret === true
}

/** Returns the numbers of the lines without `=`. parseEnv skips them, or joins them to the next line on Node 20. */
function linesWithoutValue(text: string): number[] {
  const quoted = /=[ \t]*(["'`])[\s\S]*?\1/g
  const lines = text.replace(quoted, (value) => `=${value.replace(/[^\n]/g, '')}`).split('\n')
  return lines.flatMap((line, index) => (/^\s*(#|$)/.test(line) || line.includes('=') ? [] : index + 1))
}

/** Describes a line with an unknown name. */
function unknownName(name: string): string {
  const near = nearest(name)
  return `no such setting.${near ? ` Did you mean ${near}?` : ''}`
}

/** Returns the number of the first line that starts with a name. */
function lineOf(name: string, text: string): number {
  const start = name.split(/\r?\n/, 1)[0] as string
  const lines = text.split('\n').map((line) => line.trimStart().replace(/^export\s+/, ''))
  return lines.findIndex((line) => line.startsWith(start)) + 1
}

/** Maximum edits between a setting and a misspelt name. */
const MISSPELT = 2

/** Returns the most similar setting for a misspelt name. Short settings are skipped: HOME is no misspelling of HOST. */
function nearest(name: string): SettingName | undefined {
  // names whose lengths differ more have too many edits
  const ranked = (Object.keys(SETTINGS) as SettingName[])
    .filter((setting) => setting.length >= 8 && Math.abs(setting.length - name.length) <= MISSPELT)
    .map((setting) => ({ setting, edits: distance(name.toUpperCase(), setting) }))
    .sort((a, b) => a.edits - b.edits)
  const best = ranked[0]
  return best && best.edits <= MISSPELT ? best.setting : undefined
}
