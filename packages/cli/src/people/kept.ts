import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { readTrusted, UnsafeFileError } from '@tidegate/common/safe-files'
import { withoutMark } from '@tidegate/protocol'
import { misuse } from '@tidegate/provider/commands/failures'
import { CLI_LIMITS } from '../limits.js'
import { configFolder, writePrivately } from './files/folders.js'

/** The saved choice of `tidegate use`. It holds no secret of an account; the URL of a node may hold the key to that node. */
export interface Kept {
  provider: string
  rpc?: string
}

export const keptFile = () => join(configFolder(), 'config.json')

/** Reads the saved choice; undefined if there is none. Throws CommandError. */
export function readKept(): Kept | undefined {
  const path = keptFile()
  let text: string
  try {
    text = readTrusted(path, CLI_LIMITS.files.kept)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    // the file decides whom this user pays
    if (error instanceof UnsafeFileError) throw misuse(`not used: ${error.message}`)
    throw misuse(`${path} cannot be read: ${(error as NodeJS.ErrnoException).code}.`)
  }
  try {
    const { provider, rpc } = JSON.parse(withoutMark(text)) as Partial<Kept>
    if (typeof provider === 'string' && (rpc === undefined || typeof rpc === 'string'))
      return { provider, ...(rpc === undefined ? {} : { rpc }) }
  } catch {
    // not JSON
  }
  throw misuse(`${path} is damaged: set the provider again with \`tidegate use URL\`, or remove the file.`)
}

export const writeKept = (kept: Kept) => writePrivately(keptFile(), `${JSON.stringify(kept, null, 2)}\n`)

export const forgetKept = () => rmSync(keptFile(), { force: true })
