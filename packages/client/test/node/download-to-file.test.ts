import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { downloadToFile } from '@tidegate/client/node'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { freePort } from '../../../../test/helpers/backends.js'
import { owned } from '../../../../test/helpers/children.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { startInstance } from '../../../../test/helpers/instance.js'
import { type Service, startHere } from '../../../../test/helpers/service-here.js'
import { builtChild } from '../built-child.js'
import { type Sold, Stage, sha256 } from '../stage.js'

const CONTENT = randomBytes(4_000_000)
const DIGEST = sha256(CONTENT)

let stage: Stage
let tides: Sold
let folder: string
let program: string
const own = mkdtempSync(join(tmpdir(), 'tidegate-client-'))

beforeAll(async () => {
  program = builtChild(own, 'download-child')
  stage = await Stage.start()
  tides = await stage.sold(stage.world.storage.file('/tides.csv', CONTENT))
})
afterAll(async () => {
  await stage?.close()
  rmSync(own, { recursive: true })
})
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidegate-client-'))
})
afterEach(() => {
  stage.proxy.cuts = []
  stage.proxy.onDownload = () => undefined
  rmSync(folder, { recursive: true, force: true })
})

const save = (target: string, sold = tides, options = {}) =>
  downloadToFile(stage.client().context, sold.did, target, { order: sold.order, ...options })

/** Downloads in another process. */
function spawnChild(target: string, sold = tides): ChildProcess {
  const about = {
    url: stage.proxy.url,
    rpcUrl: stage.world.network.rpcUrl,
    key: stage.buyer.privateKey,
    did: sold.did,
    order: sold.order,
    target,
  }
  const env = { ...process.env, DOWNLOAD: JSON.stringify(about) }
  return owned(spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'inherit'] }))
}

async function outputOf(child: ChildProcess): Promise<Record<string, unknown>> {
  let text = ''
  child.stdout?.on('data', (data) => {
    text += data
  })
  await once(child, 'close')
  return JSON.parse(text)
}

/** A file of the storage that stalls after some bytes of each response, until it is released. */
function slowFile(path: string, after: number): { url: string; letGo(): void } {
  let open: (() => void) | undefined
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  const url = stage.world.storage.on(path, async (request, response) => {
    const from = Number(/^bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0)
    const described = { etag: '"v1"', 'accept-ranges': 'bytes', 'content-length': CONTENT.length - from }
    const part = { 'content-range': `bytes ${from}-${CONTENT.length - 1}/${CONTENT.length}` }
    response.writeHead(from > 0 ? 206 : 200, from > 0 ? { ...described, ...part } : described)
    response.write(CONTENT.subarray(from, from + after))
    await gate
    response.end(CONTENT.subarray(from + after))
  })
  return { url, letGo: () => open?.() }
}

const sizeOf = (path: string) => (existsSync(path) ? statSync(path).size : 0)

describe('downloadToFile', () => {
  it('saves to a path, with the digest of the file on the disk', async () => {
    const path = join(folder, 'mine.csv')
    const progress: number[] = []
    const onProgress = ({ received }: { received: number }) => progress.push(received)
    const saved = await save(path, tides, { onProgress })
    expect(saved).toEqual({
      did: tides.did,
      service: tides.asset.ddo.services[0]?.id,
      file: 0,
      order: tides.order,
      path,
      bytes: CONTENT.length,
      sha256: DIGEST,
    })
    expect(sha256(readFileSync(path))).toBe(DIGEST)
    expect(readdirSync(folder)).toEqual(['mine.csv'])
    expect(progress.at(-1)).toBe(CONTENT.length)
  })

  it('saves into a folder under the name of the file, and overwrites only on request', async () => {
    expect((await save(folder)).path).toBe(join(folder, 'tides.csv'))
    await expect(save(folder)).rejects.toMatchObject({ code: 'FILE_EXISTS' })
    await expect(save(join(folder, 'tides.csv'))).rejects.toMatchObject({ code: 'FILE_EXISTS' })
    writeFileSync(join(folder, 'tides.csv'), 'old')
    expect((await save(folder, tides, { overwrite: true })).sha256).toBe(DIGEST)
    expect(readdirSync(folder)).toEqual(['tides.csv'])
  })

  it('saves an empty file', async () => {
    const empty = await stage.sold(stage.world.storage.file('/empty.csv', Buffer.alloc(0)))
    expect(await save(folder, empty)).toMatchObject({ bytes: 0, sha256: sha256(Buffer.alloc(0)) })
    expect(readdirSync(folder)).toEqual(['empty.csv'])
  })

  it('is complete although its connection is cut 20 times', async () => {
    stage.proxy.cuts = Array.from({ length: 20 }, () => 400 + Math.floor(Math.random() * 380_000))
    const before = stage.proxy.cut
    expect(await save(folder)).toMatchObject({ bytes: CONTENT.length, sha256: DIGEST })
    expect(stage.proxy.cut - before).toBeGreaterThan(5)
  })

  it('resumes after its process was killed, into a folder and to a path', async () => {
    for (const into of ['folder', 'path']) {
      const { url, letGo } = slowFile(`/slow-${into}.bin`, 1_500_000)
      const slow = await stage.sold(url)
      const path = join(folder, `slow-${into}.bin`)
      const target = into === 'folder' ? folder : path
      for (const least of into === 'folder' ? [1_000_000, 2_500_000] : [1_000_000]) {
        const child = spawnChild(target, slow)
        await eventually(() => sizeOf(`${path}.part`) >= least)
        child.kill('SIGKILL')
        await once(child, 'exit')
        expect(existsSync(path)).toBe(false)
      }
      const ranges: (string | undefined)[] = []
      stage.proxy.onDownload = (request) => ranges.push(/^range: (.*?)\r/im.exec(request)?.[1])
      letGo()
      const saved = await save(target, slow)
      expect(saved).toMatchObject({ path, bytes: CONTENT.length, sha256: DIGEST })
      expect(ranges.at(-1)).toMatch(/^bytes=[1-3]\d{6}-$/)
      expect(readdirSync(folder)).toEqual([`slow-${into}.bin`])
      rmSync(path)
    }
  })

  it('needs no request if a killed process had everything but the name', async () => {
    const path = join(folder, 'all.csv')
    const { url } = slowFile('/all.csv', 3_999_999)
    const slow = await stage.sold(url)
    const child = spawnChild(path, slow)
    await eventually(() => sizeOf(`${path}.part`) === 3_999_999)
    child.kill('SIGKILL')
    await once(child, 'exit')
    writeFileSync(`${path}.part`, CONTENT)
    const before = stage.proxy.downloads
    expect(await save(path, slow)).toMatchObject({ sha256: DIGEST })
    expect(stage.proxy.downloads).toBe(before)
  })

  it('restarts if the file has changed, or the part is of another file', async () => {
    const path = join(folder, 'tides.csv')
    const notes = { did: tides.did, service: tides.asset.ddo.services[0]?.id, file: 0, sha256: null }
    const version = { total: CONTENT.length, validator: '"old"', etag: '"old"', modified: null }
    writeFileSync(`${path}.part`, 'of another version')
    writeFileSync(`${path}.part.json`, JSON.stringify({ ...notes, version }))
    let restarts = 0
    const onRestart = () => {
      restarts += 1
    }
    expect(await save(path, tides, { onRestart })).toMatchObject({ sha256: DIGEST })
    expect(restarts).toBe(1)
    for (const text of [JSON.stringify({ ...notes, did: 'did:op:00', version }), '{', 'null', '{"version":7}']) {
      rmSync(path)
      writeFileSync(`${path}.part`, 'of something else')
      writeFileSync(`${path}.part.json`, text)
      expect(await save(path)).toMatchObject({ sha256: DIGEST })
      expect(readdirSync(folder)).toEqual(['tides.csv'])
    }
  })

  it('resumes with a wallet after a start with a link', async () => {
    const path = join(folder, 'linked.csv')
    const { url } = await stage.client().link(tides.did, { order: tides.order })
    stage.proxy.cuts = [2_000_000]
    const bare = stage.client({ wallet: undefined }).context
    const options = { link: url.replace(/^https?:\/\/[^/]+/, stage.proxy.url), retries: 0 }
    await expect(downloadToFile(bare, tides.did, path, options)).rejects.toMatchObject({ code: 'BROKEN_OFF' })
    expect(sizeOf(`${path}.part`)).toBeGreaterThan(1_000_000)
    const ranges: (string | undefined)[] = []
    stage.proxy.onDownload = (request) => ranges.push(/^range: (.*?)\r/im.exec(request)?.[1])
    let restarts = 0
    const saved = await save(path, tides, { onRestart: () => restarts++ })
    expect({ ...saved, restarts }).toMatchObject({ sha256: DIGEST, restarts: 0 })
    expect(ranges).toEqual([expect.stringMatching(/^bytes=1\d{6}-$/)])
  })

  it('resumes after the service was killed and started again', async () => {
    const port = await freePort()
    const settings = stage.world.beside({ STATE_DIR: mkdtempSync(join(folder, 'state-')), PORT: String(port) })
    const killed = await startInstance(settings)
    let again: Service | undefined
    const { target } = stage.proxy
    stage.proxy.target = port
    try {
      const { url, letGo } = slowFile('/killed.bin', 1_000_000)
      const slow = await stage.sold(url)
      // this instance has its own index
      await eventually(async () => (await fetch(`${killed.url}/api/aquarius/assets/ddo/${slow.did}`)).ok)
      const path = join(folder, 'killed.bin')
      const saving = save(path, slow)
      await eventually(() => sizeOf(`${path}.part`) >= 900_000)
      await killed.end('SIGKILL')
      letGo()
      again = await startHere(settings)
      expect(await saving).toMatchObject({ sha256: DIGEST, bytes: CONTENT.length })
    } finally {
      stage.proxy.target = target
      await killed.end('SIGKILL')
      await again?.end()
    }
  })

  it('works in one process at a time', async () => {
    const { url, letGo } = slowFile('/twice.bin', 1_000_000)
    const slow = await stage.sold(url)
    const path = join(folder, 'twice.bin')
    const child = spawnChild(path, slow)
    const output = outputOf(child)
    await eventually(() => sizeOf(`${path}.part`) >= 900_000)
    await expect(save(path, slow)).rejects.toMatchObject({ code: 'BUSY' })
    letGo()
    expect(await output).toMatchObject({ sha256: DIGEST })
    expect(readdirSync(folder)).toEqual(['twice.bin'])
    expect(sha256(readFileSync(path))).toBe(DIGEST)
  })
})
