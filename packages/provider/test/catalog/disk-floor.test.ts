import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { ask, createToken, deleteToken, freshNonce } from '../../../../test/helpers/requests.js'
import { startHere } from '../../../../test/helpers/service-here.js'
import { World } from '../../../../test/helpers/world.js'
import { providerKey } from '../../../protocol/src/crypto/keys.js'

const KEY = providerKey(`0x${'44'.repeat(32)}`)

describe('a disk with less free space than INDEX_DISK_FLOOR', () => {
  let world: World
  const folder = newFolder()
  beforeAll(async () => {
    world = await World.start()
  })

  const start = (INDEX_DISK_FLOOR: string) =>
    startHere(world.beside({ STATE_DIR: join(folder, INDEX_DISK_FLOOR), INDEX_DISK_FLOOR }))
  const chain = async (url: string) => ((await ask(`${url}/ready`)).json.chains as Record<string, unknown>[])[0]

  it('pauses the index, while nonces, tokens and revocations are written (threat 90)', async () => {
    const [full, roomy] = [await start(String(Number.MAX_SAFE_INTEGER)), await start('0')]
    await eventually(async () => (await chain(full.url))?.paused === true)
    await eventually(async () => (await chain(roomy.url))?.ready === true)
    expect(await chain(full.url)).toMatchObject({ block: null, ready: false })
    expect(await chain(roomy.url)).toMatchObject({ paused: false })
    const { status, json } = await createToken(full.url, KEY, freshNonce())
    expect(status).toBe(200)
    expect((await deleteToken(full.url, KEY, json.token as string)).status).toBe(200)
    const reason = 'The disk of STATE_DIR has less free space than INDEX_DISK_FLOOR.'
    expect(full.said).toContainEqual(expect.objectContaining({ reason, msg: 'index failed, retrying' }))
    await Promise.all([full.end(), roomy.end()])
  })
})
