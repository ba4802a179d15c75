import { createHash } from 'node:crypto'
import { readdirSync, readlinkSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freePort } from '../../../../test/helpers/backends.js'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { type Instance, startInstance } from '../../../../test/helpers/instance.js'
import { memoryOf, metricOf, openFilesOf } from '../../../../test/helpers/measures.js'
import { seeded } from '../../../../test/helpers/recorded-disk.js'
import { ask } from '../../../../test/helpers/requests.js'
import { IS_LARGE_RUN, sized } from '../../../../test/helpers/sizes.js'
import { begin, tokenOf, tus, upload } from '../../../../test/helpers/uploads.js'
import { newWallet } from '../../../../test/helpers/wallet.js'
import { World } from '../../../../test/helpers/world.js'
import { ATTACKS, type Attacker, CONTENT, FILE } from './upload-attacks.js'

const QUOTA = 45_000_000
const ATTACKERS = sized(3, 40)
/** Uploads that an attacker attacks at once, one of each attack, and how often. */
const EACH = Object.keys(ATTACKS).length
const ROUNDS = sized(1, 3)
/** MiB that the service may need more, at 0.6 for each part in flight and what answers take. */
const MORE = sized(150, 400)
const SHA256 = createHash('sha256').update(CONTENT).digest('hex')

let world: World
let folder: string
let service: Instance
let metrics: string
let honest: Record<string, string>
let attackers: Attacker[]
const sockets = new Set<Socket>()

beforeAll(async () => {
  world = await World.start()
  folder = newFolder()
  const port = await freePort()
  metrics = `http://127.0.0.1:${port}`
  service = await startInstance(
    world.beside({
      ...{ STATE_DIR: join(folder, 'state'), METRICS_PORT: String(port), HOSTING_STALL_TIMEOUT: '1000' },
      ...{
        HOSTING: 'local',
        HOSTING_DIR: join(folder, 'files'),
        HOSTING_PUBLISHERS: '*',
        HOSTING_QUOTA: String(QUOTA),
      },
    }),
  )
  const token = () => tokenOf(service.url, newWallet())
  honest = await token()
  attackers = []
  while (attackers.length < ATTACKERS) attackers.push({ base: service.url, auth: await token(), sockets })
})
afterAll(async () => {
  for (const socket of sockets) socket.destroy()
})

/** What the service takes at a moment: MiB, open files, and the longest event-loop delay since the last look in milliseconds. */
async function look() {
  const pid = service.process.pid as number
  const delay = Math.round(1000 * (await metricOf(metrics, 'tidegate_nodejs_eventloop_lag_max_seconds')))
  return { memory: Math.round(memoryOf(pid)), files: openFilesOf(pid), delay }
}

/** How many files of uploads the service has open. */
function uploadsOpen(): number {
  const fds = `/proc/${service.process.pid}/fd`
  const paths = readdirSync(fds).map((fd) => {
    try {
      return readlinkSync(join(fds, fd))
    } catch {
      return '' // closed meanwhile
    }
  })
  return paths.filter((path) => path.startsWith(join(folder, 'files'))).length
}

/** Uploads a file as an honest publisher, and deletes it. Returns how many milliseconds the upload took. */
async function uploaded(): Promise<number> {
  const begun = performance.now()
  const url = await upload(service.url, CONTENT, honest, { retryDelays: Array(1000).fill(100) })
  const took = performance.now() - begun
  expect((await ask(url, { headers: honest })).json.sha256).toBe(SHA256)
  expect((await ask(url, { method: 'DELETE', headers: { ...honest, 'tus-resumable': '1.0.0' } })).status).toBe(204)
  return Math.round(took)
}

/** Attacks with every attack at once, each on an upload of its own. */
async function attack(attacker: Attacker, random: () => number): Promise<void> {
  const names = Object.keys(ATTACKS).sort(() => random() - 0.5)
  await Promise.all(
    names.map(async (name) => {
      const url = await begin(service.url, FILE, attacker.auth)
      await ATTACKS[name]?.(url, attacker)
    }),
  )
}

it.runIf(process.platform === 'linux')(
  `an honest publisher uploads while ${ATTACKERS * EACH} attack at once, and nothing is left of them`,
  { timeout: 600_000 },
  async () => {
    const random = seeded(19)
    for (let count = 0; count < 5; count++) await uploaded()
    await look()
    const alone = await uploaded()
    const before = await look()

    let isOver = false
    const attacking = (async () => {
      for (let round = 0; round < ROUNDS; round++)
        await Promise.all(attackers.map((attacker) => attack(attacker, random)))
    })().finally(() => {
      isOver = true
    })
    const during = { ...before }
    const watching = (async () => {
      while (!isOver) {
        const now = await look()
        for (const what of ['memory', 'files', 'delay'] as const) during[what] = Math.max(during[what], now[what])
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    })()
    const begun = performance.now()
    const took: number[] = []
    while (!isOver || took.length < 3) took.push(await uploaded())
    await Promise.all([attacking, watching])
    const seconds = Math.round((performance.now() - begun) / 1000)

    await eventually(async () => (await metricOf(metrics, 'tidegate_uploads_active')) === 0)
    await eventually(() => uploadsOpen() === 0)
    expect(sockets.size).toBe(0)
    // idle connections of this process take a minute to end
    if (IS_LARGE_RUN) await eventually(async () => (await look()).files <= before.files + 5)
    const after = { ...(await look()), took: await uploaded() }
    took.sort((a, b) => a - b)
    const refused = {
      busy: await metricOf(metrics, 'tidegate_refusals_total', 'code="BUSY"'),
      limited: await metricOf(metrics, 'tidegate_refusals_total', 'code="RATE_LIMITED"'),
    }
    const honestly = { served: took.length, middle: took[took.length >> 1], longest: took.at(-1), alone }
    console.log(`${ATTACKERS * EACH * ROUNDS} hostile uploads in ${seconds} s`, {
      before,
      during,
      after,
      honestly,
      refused,
    })
    expect(during.memory - before.memory).toBeLessThan(MORE)

    // what they have left is as it should be, and can be completed
    const completed = attackers.map(async ({ auth }) => {
      const { uploads } = (await ask(`${service.url}/api/services/uploads`, { headers: auth })).json as {
        uploads: { id: string; size: number; offset: number; sha256: string | null }[]
      }
      expect(uploads.length).toBeGreaterThan((EACH * ROUNDS) / 2)
      for (const { id, size, offset, sha256: digest } of uploads) {
        expect([size, digest, offset <= CONTENT.length]).toEqual([FILE, null, true])
        const url = `${service.url}/api/services/uploads/${id}`
        const rest = Buffer.alloc(FILE - offset)
        expect((await tus(url, 'PATCH', { ...auth, 'upload-offset': String(offset) }, rest)).status).toBe(204)
      }
    })
    await Promise.all(completed)
  },
)

it('of files that are created at once no more pass than the quota holds', async () => {
  const auth = await tokenOf(service.url, newWallet())
  const size = QUOTA / 10
  const answers = await Promise.all(
    Array.from({ length: 50 }, () =>
      tus(`${service.url}/api/services/uploads`, 'POST', { ...auth, 'upload-length': String(size) }),
    ),
  )
  const codes = answers.map(({ status, json }) => (status === 201 ? 'created' : json.code))
  expect(codes.filter((code) => code === 'created')).toHaveLength(10)
  expect(new Set(codes)).toEqual(new Set(['created', 'UPLOAD_QUOTA']))
})
