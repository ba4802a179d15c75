import { InvalidArgumentError } from '@commander-js/extra-typings'
import { LAST_PORT, SECONDS } from '@tidegate/protocol/constants'

/** The option for a settings file, shared by all commands with settings. */
export const CONFIG = [
  '--config <file>',
  'read settings from a file of NAME=value lines; the environment wins',
] as const

/** Parses a port option, 0 (any free port) to 65535. Throws InvalidArgumentError. */
export function port(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > LAST_PORT)
    throw new InvalidArgumentError('It must be a port from 0 to 65535.')
  return Number(text)
}

/** Parses a chain id option. Throws InvalidArgumentError. */
export function chainId(text: string): number {
  if (!/^[1-9]\d{0,15}$/.test(text)) throw new InvalidArgumentError('It must be a chain id, a whole number.')
  return Number(text)
}

/** Parses an option in whole seconds, from 1 to 3600. Throws InvalidArgumentError. */
export function seconds(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text) || Number(text) > SECONDS.hour)
    throw new InvalidArgumentError('It must be a whole number of seconds from 1 to 3600.')
  return Number(text)
}
