import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { uploadFile } from '@tidegate/client/node'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { owned } from '../../../test/helpers/children.js'
import { bytesOf, tokenOf } from '../../../test/helpers/uploads.js'
import { builtChild } from './built-child.js'
import { Stage, sha256 } from './stage.js'

const CONTENT = randomBytes(6_000_000)
const SHA256 = sha256(CONTENT)
const QUOTA = 50_000_000

let stage: Stage
let folder: string
let hosting: string

beforeAll(async () => {
  hosting = mkdtempSync(join(tmpdir(), 'tidegate-client-hosting-'))
  stage = await Stage.start({ HOSTING_DIR: hosting, HOSTING_QUOTA: String(QUOTA) })
})
afterAll(async () => {
  await stage?.close()
  rmSync(hosting, { recursive: true, force: true })
})
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidegate-client-upload-'))
})
afterEach(async () => {
  Object.assign(stage.proxy, { uploadCuts: [], parts: 0, uploads: 0, cut: 0, lostAnswers: 0 })
  Object.assign(stage.proxy, { onPart: () => undefined, onLost: () => undefined })
  for (const { id } of await mine()) await fetch(`${uploadsUrl()}/${id}`, { method: 'DELETE', headers: await owner() })
  rmSync(folder, { recursive: true, force: true })
})

const uploadsUrl = () => `${stage.world.network.providerUrl}/api/services/uploads`
const owner = () => tokenOf(stage.world.network.providerUrl, stage.buyer)

/** Returns the provider's uploads of the client's account. */
async function mine(): Promise<{ id: string; size: number; offset: number; name: string; contentType: string }[]> {
  const answer = await fetch(uploadsUrl(), { headers: await owner() })
  return ((await answer.json()) as { uploads: [] }).uploads
}

function fileOf(content: Uint8Array, name = 'tides.csv'): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

const heldAs = (id: string) => sha256(bytesOf(hosting, id))

describe('upload', () => {
  it('takes a File, reports progress, and returns an object to publish', async () => {
    const seen: number[] = []
    const file = new File([CONTENT], 'Gezeiten – été.csv', { type: 'text/csv' })
    const done = await stage.client().upload(file, { onProgress: ({ sent, total }) => seen.push(sent / total) })
    expect(done).toEqual({
      id: done.id,
      size: CONTENT.length,
      sha256: SHA256,
      object: { type: 'hosted', id: done.id, name: 'Gezeiten – été.csv' },
    })
    expect(heldAs(done.id)).toBe(SHA256)
    expect(await mine()).toMatchObject([{ id: done.id, name: 'Gezeiten – été.csv', contentType: 'text/csv' }])
    expect(seen[0]).toBe(0)
    expect(seen.at(-1)).toBe(1)
    expect(seen.length).toBeGreaterThan(3)
    expect(seen).toEqual([...seen].sort((a, b) => a - b))
  })

  it('names a file by its path, or not at all, and refuses a wrong name before it sends anything', async () => {
    const file = new File(['x'], 'tides.csv')
    const named = await stage.client().upload(file, { name: '2026/tides.csv' })
    expect(named.object).toEqual({ type: 'hosted', id: named.id, name: '2026/tides.csv' })
    const anonymous = await stage.client().upload(file, { anonymous: true })
    expect(anonymous.object).toEqual({ type: 'hosted', id: anonymous.id })
    const path = fileOf(Buffer.from('x'))
    const resume = join(folder, 'named.upload')
    const local = await uploadFile(stage.client().context, path, { resume })
    expect(local.object.name).toBe('tides.csv')
    expect((await uploadFile(stage.client().context, path, { resume })).id).toBe(local.id)
    const other = await uploadFile(stage.client().context, path, { resume, anonymous: true })
    expect([other.id === local.id, other.object]).toEqual([false, { type: 'hosted', id: other.id }])
    const uploads = await mine()
    expect(uploads.flatMap(({ name }) => name ?? [])).toEqual(['tides.csv', 'tides.csv'])
    await expect(stage.client().upload(file, { name: '../tides.csv' })).rejects.toMatchObject({ code: 'BAD_NAME' })
    expect(await mine()).toHaveLength(uploads.length)
  })

  it('takes an empty file, and a token instead of a wallet', async () => {
    const { AuthToken: token = '' } = await owner()
    const done = await stage.client({ wallet: undefined, token }).upload(new Blob([]), { name: 'empty' })
    expect(done).toMatchObject({ size: 0, sha256: sha256(Buffer.alloc(0)) })
  })

  it('resumes after cuts in the middle of parts', async () => {
    stage.proxy.uploadCuts = [500_000, 10_000_000, 1_000_000, 20_000]
    let resumed = 0
    const options = { onProgress: (progress: { resumed: number }) => ({ resumed } = progress) }
    const done = await stage.client().upload(new Blob([CONTENT]), options)
    expect([done.sha256, heldAs(done.id)]).toEqual([SHA256, SHA256])
    expect(stage.proxy.cut).toBe(3)
    expect([resumed, stage.proxy.uploads]).toEqual([3, 1])
  })

  it('finds the begun upload if the response was lost', async () => {
    stage.proxy.lostAnswers = 2
    const done = await stage.client().upload(new Blob([CONTENT]))
    expect(done.sha256).toBe(SHA256)
    expect(stage.proxy.uploads).toBe(3)
    expect(await mine()).toMatchObject([{ id: done.id }])
    // the same bytes are another file the next time
    const again = await stage.client().upload(new Blob([CONTENT]))
    expect(again.id).not.toBe(done.id)
  })

  it('fails after the allowed retries', async () => {
    stage.proxy.uploadCuts = Array(10).fill(1000)
    const refused = stage.client().upload(new Blob([CONTENT]), { retries: 2 })
    await expect(refused).rejects.toMatchObject({ code: 'UNREACHABLE' })
    expect(stage.proxy.parts).toBe(3)
  })

  it('is refused at once if it exceeds the quota', async () => {
    const source = { size: QUOTA + 1, slice: () => new Blob([]) }
    await expect(stage.client().upload(source)).rejects.toMatchObject({ code: 'UPLOAD_QUOTA', status: 403 })
    expect(stage.proxy.uploads).toBe(1)
  })

  it('ends with the reason of the signal, and resumes by its id', async () => {
    const controller = new AbortController()
    let id = ''
    stage.proxy.onPart = () => {
      if (stage.proxy.parts === 2) controller.abort(new Error('enough'))
    }
    const onBegun = (begun: string) => {
      id = begun
    }
    const options = { signal: controller.signal, onBegun }
    await expect(stage.client().upload(new Blob([CONTENT]), options)).rejects.toThrow('enough')
    stage.proxy.onPart = () => undefined
    const done = await stage.client().upload(new Blob([CONTENT]), { resume: id })
    expect(done).toMatchObject({ id, sha256: SHA256 })
    expect(stage.proxy.uploads).toBe(1)
  })

  it('keeps one part in memory, of a source that it reads in parts', async () => {
    let [most, ends] = [0, 0]
    const slice = (start: number, end: number) => {
      most = Math.max(most, end - start)
      ends = end
      return new Blob([
        CONTENT.subarray(0, 1)
          .toString('hex')
          .slice(0, 1)
          .repeat(end - start),
      ])
    }
    await stage.client().upload({ size: 20_000_000, slice })
    expect(ends).toBe(20_000_000)
    expect(most).toBeLessThanOrEqual(8_388_608)
  })

  it('sends no proof to the URL of a response', async () => {
    const { createServer } = await import('node:http')
    const asked: string[] = []
    const server = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`)
      if (request.method === 'POST')
        response.writeHead(201, { location: `http://${request.headers.host}/elsewhere/../abc` }).end()
      else response.writeHead(204, { 'upload-offset': '7' }).end()
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as { port: number }).port}`
    const { AuthToken: token = '' } = await owner()
    const lied = stage.client({ url, wallet: undefined, token }).upload(new Blob(['tides']))
    await expect(lied)
      .rejects.toMatchObject({ code: 'BAD_ANSWER' })
      .finally(() => server.close())
    expect(asked).toEqual(['POST /api/services/uploads', 'PATCH /api/services/uploads/abc'])
  })
})

describe('uploadFile', () => {
  const send = (path: string, options = {}) => uploadFile(stage.client().context, path, options)

  /** A process that uploads a file. */
  function childFor(path: string, resume: string) {
    const about = {
      ...{ url: stage.proxy.url, rpcUrl: stage.world.network.rpcUrl, key: stage.buyer.privateKey },
      ...{ path, resume },
    }
    const env = { ...process.env, UPLOAD: JSON.stringify(about) }
    return owned(spawn(process.execPath, [builtChild(folder, 'upload-child')], { env, stdio: 'inherit' }))
  }

  it('finds the upload of a process that was killed before the response', async () => {
    const path = fileOf(CONTENT)
    const resume = join(folder, 'upload.json')
    stage.proxy.lostAnswers = 1
    const child = childFor(path, resume)
    stage.proxy.onLost = () => child.kill('SIGKILL')
    await once(child, 'close')
    const [begun] = await mine()
    expect(begun).toMatchObject({ size: CONTENT.length, offset: 0 })
    expect(await send(path, { resume })).toMatchObject({ id: begun?.id, sha256: SHA256 })
    expect(await mine()).toHaveLength(1)
  })

  it('resumes after the process was killed', async () => {
    const path = fileOf(CONTENT)
    const resume = join(folder, 'upload.json')
    const child = childFor(path, resume)
    stage.proxy.onPart = () => {
      if (stage.proxy.parts === 2) child.kill('SIGKILL')
    }
    await once(child, 'close')
    const [begun] = await mine()
    expect(begun?.offset).toBeGreaterThan(0)
    expect(begun?.offset).toBeLessThan(CONTENT.length)
    expect(statSync(resume).mode & 0o777).toBe(0o600)
    stage.proxy.onPart = () => undefined
    const seen: number[] = []
    const done = await send(path, { resume, onProgress: ({ sent }: { sent: number }) => seen.push(sent) })
    expect(done).toMatchObject({ id: begun?.id, sha256: SHA256 })
    // bytes in transit may have arrived after the kill
    expect(seen[0]).toBeGreaterThanOrEqual(begun?.offset as number)
    expect(stage.proxy.uploads).toBe(1)
    // complete parts are not sent again
    const parts = stage.proxy.parts
    expect(await send(path, { resume })).toEqual(done)
    expect(stage.proxy.parts).toBe(parts)
  })

  it('restarts if the file was changed, or the upload has expired', async () => {
    const path = fileOf(CONTENT)
    const resume = join(folder, 'upload.json')
    const first = await send(path, { resume })
    appendFileSync(path, 'more')
    const second = await send(path, { resume })
    expect(second.id).not.toBe(first.id)
    expect(second.sha256).toBe(sha256(readFileSync(path)))
    await fetch(`${uploadsUrl()}/${second.id}`, { method: 'DELETE', headers: await owner() })
    expect((await send(path, { resume })).id).not.toBe(second.id)
  })

  it('fails for a file that changes during the upload, and deletes its parts', async () => {
    const path = fileOf(CONTENT)
    const resume = join(folder, 'upload.json')
    stage.proxy.onPart = () => {
      if (stage.proxy.parts === 2) appendFileSync(path, 'more')
    }
    await expect(send(path, { resume })).rejects.toMatchObject({ code: 'FILE_CHANGED' })
    expect(await mine()).toEqual([])
    expect(existsSync(resume)).toBe(false)
  })

  it('describes problems of a path', async () => {
    await expect(send(join(folder, 'none'))).rejects.toMatchObject({ code: 'NO_FILE' })
    await expect(send(folder)).rejects.toMatchObject({ code: 'NO_FILE' })
  })
})

describe('a public file', () => {
  it('is read by everybody, and only from this provider', async () => {
    const tidegate = stage.client()
    const name = 'tides of\u00a0Brest.csv'
    const file = await tidegate.uploadPublic(new Blob(['a,b\n'], { type: 'text/csv' }), { name })
    expect(file).toMatchObject({ size: 4, sha256: sha256(Buffer.from('a,b\n')), contentType: 'text/csv' })
    const { bytes, contentType } = await tidegate.sample(file.url)
    expect([Buffer.from(bytes).toString(), contentType]).toEqual(['a,b\n', 'text/csv'])
    // the URL names the proxy of the stage
    const direct = stage.client({ url: stage.world.network.providerUrl })
    await expect(direct.sample(file.url)).rejects.toMatchObject({ code: 'NOT_ON_PROVIDER' })
    await expect(tidegate.sample(`${file.url}x`)).rejects.toMatchObject({ code: 'DOCUMENT_UNREADABLE' })
  })

  it('is at most 5 MiB, and not empty', async () => {
    const { uploads } = stage.proxy
    const upload = (size: number) => stage.client().uploadPublic(new Blob([new Uint8Array(size)]), { name: 'a.csv' })
    await expect(upload(20_000_000)).rejects.toMatchObject({ code: 'UPLOAD_TOO_LARGE' })
    await expect(upload(0)).rejects.toMatchObject({ code: 'BAD_REQUEST' })
    expect(stage.proxy.uploads).toBe(uploads)
  })

  it('elsewhere is not read by a page, whose policy forbids it', async () => {
    const url = stage.world.storage.file('/terms.md', Buffer.from('Terms'), 'text/markdown')
    vi.stubGlobal('document', {})
    try {
      await expect(stage.client().termsAt(url)).rejects.toMatchObject({
        code: 'DOCUMENT_UNREADABLE',
        message: expect.stringContaining(new URL(url).host),
      })
    } finally {
      vi.unstubAllGlobals()
    }
    expect(stage.world.storage.seen('/terms.md')).toEqual([])
  })
})
