import { fileURLToPath } from 'node:url'
import type { Chains } from '@tidegate/chain'
import { StartError } from '@tidegate/protocol'
import type { Settings } from '../config/schema.js'
import { type ConsoleFacts, consoleFacts, type LocalChain, nodeProblems } from './facts.js'
import { type ConsoleFiles, plainFile, readConsole } from './files.js'
import { consoleFolder } from './folder.js'
import { readLogo } from './logo.js'

/** Path of OPERATOR_LOGO below the console. */
const LOGO = 'operator-logo'

/** The built console and its configuration. */
export interface Console {
  files: ConsoleFiles
  facts: ConsoleFacts
  /** Path of the console in browsers. */
  path: string
}

/** Opens the console, if it is on. Throws StartError if the console is not built, or if its settings do not fit the chains. */
export function openConsole(settings: Settings, chains: Chains, local?: LocalChain): Console | undefined {
  if (!settings.CONSOLE) return undefined
  const problems = nodeProblems(settings, chains)
  if (problems.length > 0) throw new StartError(problems)
  const prefix = settings.PUBLIC_URL === undefined ? '' : new URL(settings.PUBLIC_URL).pathname.replace(/\/+$/, '')
  const logo = settings.OPERATOR_LOGO === undefined ? undefined : readLogo(settings.OPERATOR_LOGO)
  const files = new Map(readConsole(fileURLToPath(consoleFolder()), prefix))
  if (logo) files.set(LOGO, plainFile(logo.contentType, logo.bytes))
  const facts = consoleFacts(settings, chains, local)
  return {
    files,
    facts: logo ? { ...facts, logo: LOGO } : facts,
    path: `${prefix}/console/`,
  }
}
