import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { PaymentStore } from '@tidegate/client'
import { createFile, readTrusted, renameAnew, temporaryName } from '@tidegate/common/safe-files'
import { CLI_LIMITS } from '../limits.js'
import { makePrivateFolder, paymentsFolder } from './files/folders.js'

/** Keeps signed payments in files of this user, each until its outcome is known. Of several processes, the first one's payment stays. */
export const paymentFiles: PaymentStore = {
  find: async (key) => read(fileOf(key)),
  async add(key, payment) {
    const path = fileOf(key)
    makePrivateFolder(paymentsFolder())
    const temporary = temporaryName(path)
    createFile(temporary, payment)
    try {
      await renameAnew(temporary, path)
      return payment
    } catch (error) {
      rmSync(temporary, { force: true })
      const found = (error as NodeJS.ErrnoException).code === 'EEXIST' ? read(path) : undefined
      if (found === undefined) throw error
      return found
    }
  },
  async remove(key, payment) {
    const path = fileOf(key)
    if (read(path) === payment) rmSync(path)
  },
}

const fileOf = (key: string) => join(paymentsFolder(), `${createHash('sha256').update(key).digest('hex')}.json`)

function read(path: string): string | undefined {
  try {
    return readTrusted(path, CLI_LIMITS.files.payment)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
