import type { Setting } from './setting.js'
import { ACCESS } from './settings/access.js'
import { CATALOGUE } from './settings/catalogue.js'
import { CHAINS } from './settings/chains.js'
import { CONSOLE } from './settings/console.js'
import { HOSTING } from './settings/hosting.js'
import { KEYS } from './settings/keys.js'
import { LIMITS } from './settings/limits.js'
import { OPERATOR } from './settings/operator.js'
import { PURCHASES } from './settings/purchases.js'
import { SERVICE } from './settings/service.js'
import { STORAGE } from './settings/storage.js'

export type { Setting } from './setting.js'

/** Every setting of the service by its name in the environment and in settings files. */
export const SETTINGS = {
  ...CHAINS,
  ...KEYS,
  ...SERVICE,
  ...ACCESS,
  ...LIMITS,
  ...STORAGE,
  ...HOSTING,
  ...CONSOLE,
  ...OPERATOR,
  ...CATALOGUE,
  ...PURCHASES,
} as const

export type SettingName = keyof typeof SETTINGS
type ValueOf<S> = S extends Setting<infer T> ? (S extends { always: true } ? T : T | undefined) : never

/** The validated values of all settings. A setting without default may be undefined. */
export type Settings = { [K in SettingName]: ValueOf<(typeof SETTINGS)[K]> }
