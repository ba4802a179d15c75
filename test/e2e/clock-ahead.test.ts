import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { providerKey } from '../../packages/protocol/src/crypto/keys.js'
import { newFolder } from '../helpers/cleanup.js'
import { program } from '../helpers/command.js'
import { startInstance } from '../helpers/instance.js'
import { createToken, deleteToken, freshNonce } from '../helpers/requests.js'
import { startHere } from '../helpers/service-here.js'
import { World } from '../helpers/world.js'

const [ALICE, BOB] = [providerKey(`0x${'44'.repeat(32)}`), providerKey(`0x${'55'.repeat(32)}`)]
const AHEAD = 2 * 86_400

/** Sets the clock of a process ahead before anything else runs in it. */
const clock = `const D = Date; globalThis.Date = class extends D {
  constructor(...given) { given.length > 0 ? super(...given) : super(D.now() + ${AHEAD}000) }
  static now() { return D.now() + ${AHEAD}000 } }`

const folder = newFolder()
let world: World
beforeAll(async () => {
  world = await World.start()
})

it('a revoked token stays revoked when another instance, whose clock is days ahead, purges expired ones (threat 84)', async () => {
  const environment = world.beside({ STATE_DIR: join(folder, 'state') })
  const right = await startHere(environment)
  const ahead = await startInstance(environment, [
    '--import',
    `data:text/javascript,${encodeURIComponent(clock)}`,
    ...program(),
  ])

  const issue = async (at: string, key: typeof ALICE, seconds?: number) =>
    (await createToken(at, key, freshNonce(), seconds)).json.token as string
  const [revoked, kept] = [await issue(right.url, ALICE), await issue(right.url, ALICE)]
  expect((await deleteToken(right.url, ALICE, revoked)).status).toBe(200)
  // purges tokens that have expired by its own clock
  const other = await issue(ahead.url, BOB, AHEAD + 3600)
  expect((await deleteToken(ahead.url, BOB, other)).status).toBe(200)
  expect((await deleteToken(ahead.url, BOB, await issue(right.url, BOB))).json.error).toMatch(/expired/)
  expect((await deleteToken(right.url, ALICE, revoked)).json.error).toBe('Token is deleted.')
  // a token that was not deleted is still valid
  expect((await deleteToken(right.url, ALICE, kept)).status).toBe(200)
})
