import { join } from 'node:path'
import { SignJWT } from 'jose'
import Database from 'libsql'
import { beforeAll, describe, expect, it } from 'vitest'
import { newFolder } from '../../../test/helpers/cleanup.js'
import { runCommand } from '../../../test/helpers/command.js'
import { eventually } from '../../../test/helpers/eventually.js'
import { type Instance, startInstance } from '../../../test/helpers/instance.js'
import { type Answer, ask, createToken, deleteToken } from '../../../test/helpers/requests.js'
import { type Service, startHere } from '../../../test/helpers/service-here.js'
import { World } from '../../../test/helpers/world.js'
import { type ProviderKey, providerKey } from '../../protocol/src/crypto/keys.js'

/** A running service that takes over from the legacy one. */
describe('requests signed for a legacy service', () => {
  const folder = newFolder()
  let world: World
  let first: Instance
  let instance: Service
  let keys = 0
  /** An account that has never sent a request to this service. */
  const somebody = () => providerKey(`0x${(++keys).toString(16).padStart(64, '0')}`)
  const environment = () => world.beside({ STATE_DIR: join(folder, 'state') })
  const create = (key: ProviderKey, nonce: number | string) => createToken(instance.url, key, String(nonce))
  const lastNonce = async (key: ProviderKey) =>
    (await ask(`${instance.url}/api/services/nonce?userAddress=${key.address}`)).json.nonce as number
  const refused = {
    status: 400,
    json: { errors: { nonce: [expect.stringMatching(/^The nonce is a time before 20/)] } },
  }
  const isRefused = ({ json }: Answer) => JSON.stringify(json).includes('is a time before')

  beforeAll(async () => {
    world = await World.start()
    first = await startInstance(environment())
    instance = first
  })

  it('are refused after the import, on a running service and after kill -9; later ones pass', async () => {
    const before = Date.now() - 60_000
    expect((await create(somebody(), before)).status).toBe(200)
    const known = somebody()

    const file = join(folder, 'legacy.db')
    const db = new Database(file)
    db.exec('CREATE TABLE user_nonce (address VARCHAR(255) NOT NULL PRIMARY KEY, nonce VARCHAR(255) NOT NULL)')
    db.prepare('INSERT INTO user_nonce VALUES (?, ?)').run(known.address, String(before - 1000))
    db.close()
    const imported = await runCommand(['import', '--sqlite', file], environment())
    expect(imported).toMatchObject({ status: 0, stderr: '' })

    // for every account, whether imported or not, and in every unit of time
    await eventually(async () => isRefused(await create(somebody(), before)))
    const checked = async () => {
      for (const nonce of [before, before / 1000, before * 1000])
        expect(await create(somebody(), nonce)).toMatchObject(refused)
      expect(await create(known, before)).toMatchObject(refused)
      for (const nonce of [Date.now() + 5000, 5]) expect((await create(somebody(), nonce)).status).toBe(200)
    }
    await checked()
    await first.end('SIGKILL')
    instance = await startHere(environment())
    await checked()

    // clients that sign the last nonce plus one
    const last = await lastNonce(known)
    expect(last).toBeGreaterThan(before)
    expect((await create(known, last + 1)).status).toBe(200)
    expect(await lastNonce(known)).toBe(last + 1)
    expect(await lastNonce(somebody())).toBe(1)
  })

  it('may use the tokens of the legacy service, signed with its universal key or else its provider key', async () => {
    const provider = world.beside().PROVIDER_PRIVATE_KEY as string
    const universal = '77'.repeat(32)
    const exp = Math.floor(Date.now() / 1000) + 3600
    const tokenOf = (address: string, secret: string) =>
      new SignJWT({ exp, address }).setProtectedHeader({ typ: 'JWT', alg: 'HS256' }).sign(Buffer.from(secret))
    for (const [name, changed, secret, other] of [
      ['universal', { UNIVERSAL_PRIVATE_KEY: universal, LEGACY_TOKEN_SECRET: universal }, universal, provider],
      ['provider', { LEGACY_TOKEN_SECRET: provider }, provider, universal],
      // the secret is the text itself: another spelling is another secret
      ['spelling', { LEGACY_TOKEN_SECRET: provider.slice(2) }, provider.slice(2), provider],
    ] as const) {
      const service = await startHere(world.beside({ STATE_DIR: join(folder, name), ...changed }))
      const key = somebody()
      const [good, bad] = await Promise.all([tokenOf(key.address, secret), tokenOf(key.address, other)])
      expect((await deleteToken(service.url, key, bad)).json.error, name).toBe('Token is invalid.')
      expect((await deleteToken(service.url, key, good)).status, name).toBe(200)
      await service.end()
    }
  })
})
