import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readableFiles } from './readable-files.js'

describe.skipIf(process.platform === 'win32')('files with secrets', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-modes-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const file = (name: string, mode: number, text = 'x') => {
    const path = join(folder, name)
    writeFileSync(path, text)
    chmodSync(path, mode)
    return path
  }

  it('are named if every user may read them, and only then', () => {
    const open = file('open', 0o644)
    const closed = [0o600, 0o400, 0o440, 0o640].map((mode) => file(`closed-${mode}`, mode))
    expect(readableFiles({ PROVIDER_PRIVATE_KEY_FILE: open, DATABASE_URL_FILE: open })).toEqual([
      'PROVIDER_PRIVATE_KEY_FILE',
      'DATABASE_URL_FILE',
    ])
    for (const path of closed) expect(readableFiles({ PROVIDER_PRIVATE_KEY_FILE: path })).toEqual([])
    // no secret, no file, and a secret under the wrong name
    expect(readableFiles({ ADDRESS_FILE: open, KEYSTORE_PASSWORD_FILE: `0x${'11'.repeat(32)}` })).toEqual([])
  })

  it('may be the settings file itself, and may be named in it', () => {
    const open = file('open', 0o644)
    const harmless = file('harmless.env', 0o644, `PORT=1\nDATABASE_URL_FILE=${open}\n`)
    expect(readableFiles({}, harmless)).toEqual(['DATABASE_URL_FILE'])
    const secret = file('secret.env', 0o644, 'AUTH_TOKEN_SECRET=x\n')
    expect(readableFiles({}, secret)).toEqual([secret])
    chmodSync(secret, 0o600)
    expect(readableFiles({}, secret)).toEqual([])
  })
})
