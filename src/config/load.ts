import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { distance } from 'fastest-levenshtein'
import { StartError } from '../errors.js'
import { SETTINGS, type Setting, type SettingName, type Settings } from './schema.js'

/** The configuration cannot be used. `problems` lists every reason, one line each; none quotes a secret. */
export class ConfigError extends StartError {
  constructor(problems: string[]) {
    super(problems)
    this.name = 'ConfigError'
  }
}

type Environment = Record<string, string | undefined>

/**
 * Turns the environment, over an optional settings file (KEY=value lines), into validated settings.
 * Throws one ConfigError with every problem. An empty value counts as not set.
 */
export function loadSettings(environment: Environment, file?: string): Settings {
  const problems: string[] = []
  const text = file === undefined ? '' : readSettingsFile(file, problems)
  const fromFile = parseEnv(text) as Environment
  for (const name of Object.keys(fromFile)) {
    // what stands where a name should be may be a key that somebody pasted: it is never told
    if (!isKnown(name)) problems.push(`Line ${lineOf(name, text)} of ${file}: ${unknownName(name)}`)
  }
  for (const name of Object.keys(environment)) {
    // The environment is full of other programs' names: only a near miss of one of ours is worth a word.
    const near = isKnown(name) ? undefined : nearest(name)
    if (near) problems.push(`${name}: no such setting. Did you mean ${near}?`)
  }
  const values: Record<string, unknown> = {}
  for (const [name, definition] of Object.entries(SETTINGS) as [SettingName, Setting<unknown>][]) {
    const given = (other: string) => environment[other] || fromFile[other] || undefined
    const raw = given(name) ?? secretFromFile(name, definition, given, problems) ?? legacyValue(definition, given)
    if (raw === undefined) {
      values[name] = definition.default
      const { required, alternatives = [], doc } = definition
      const elsewhere = alternatives.some((other) => (given(other) ?? given(`${other}_FILE`)) !== undefined)
      if (required && !elsewhere && !problems.some((line) => line.startsWith(`${name}_FILE`)))
        problems.push(`${name}: is required. ${doc}`)
      continue
    }
    try {
      values[name] = definition.parse(raw)
    } catch (error) {
      problems.push(`${name}: ${(error as Error).message}.`)
    }
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return values as Settings
}

/** One secret by itself, for commands that need no other setting. Throws ConfigError. */
export function secretSetting(name: SettingName, environment: Environment, file?: string): string | undefined {
  const problems: string[] = []
  const fromFile: Environment = file === undefined ? {} : parseEnv(readSettingsFile(file, problems))
  const given = (other: string) => environment[other] || fromFile[other] || undefined
  const raw = given(name) ?? secretFromFile(name, SETTINGS[name], given, problems)
  if (problems.length > 0) throw new ConfigError(problems)
  return raw
}

type Given = (name: string) => string | undefined

/** The content of the file that NAME_FILE names, where NAME is a secret. */
function secretFromFile(name: string, { secret }: Setting<unknown>, given: Given, problems: string[]) {
  const path = secret ? given(`${name}_FILE`) : undefined
  if (path === undefined) return undefined
  try {
    return readFileSync(path, 'utf8').trim() || undefined
  } catch (error) {
    // it may be the secret itself, where somebody has mistaken one setting for the other
    problems.push(
      `${name}_FILE: the file that it names cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'not text'}.`,
    )
    return undefined
  }
}

/** What the legacy service's name for it says, in the unit of the present one. */
function legacyValue({ legacy, legacyFactor }: Setting<unknown>, given: Given): string | undefined {
  const raw = legacy === undefined ? undefined : given(legacy)
  return legacyFactor !== undefined && raw && /^\d+$/.test(raw) ? String(Number(raw) * legacyFactor) : raw
}

function readSettingsFile(file: string, problems: string[]): string {
  try {
    return readFileSync(file, 'utf8')
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

/** What is wrong with a line of the settings file whose name is none. A line without `=` becomes one with the next. */
function unknownName(name: string): string {
  if (/[\r\n]/.test(name)) return 'is not of the form NAME=value.'
  const near = nearest(name)
  return `no such setting.${near ? ` Did you mean ${near}?` : ''}`
}

/** The number of the line that begins with a name. */
function lineOf(name: string, text: string): number {
  const start = name.split(/\r?\n/, 1)[0] as string
  const lines = text.split('\n').map((line) => line.trimStart().replace(/^export\s+/, ''))
  return lines.findIndex((line) => line.startsWith(start)) + 1
}

/** The setting that a name was probably meant to be. Short names are left alone: HOME is no misspelt HOST. */
function nearest(name: string): SettingName | undefined {
  const candidates = (Object.keys(SETTINGS) as SettingName[]).filter((setting) => setting.length >= 8)
  const ranked = candidates
    .map((setting) => ({ setting, edits: distance(name.toUpperCase(), setting) }))
    .sort((a, b) => a.edits - b.edits)
  const best = ranked[0]
  return best && best.edits <= 2 ? best.setting : undefined
}
