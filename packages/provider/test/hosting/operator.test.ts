import { rmSync, truncateSync, writeFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { runHere } from '../../../../test/helpers/command-here.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { metricOf } from '../../../../test/helpers/measures.js'
import { ask, downloadUrl } from '../../../../test/helpers/requests.js'
import { begin, bytesOf, idOf, pathOf, tokenOf, tus, upload } from '../../../../test/helpers/uploads.js'
import { World } from '../../../../test/helpers/world.js'

const CONTENT = Buffer.from('hour,height\n00:00,3.1\n')

describe('the operator of hosted files', () => {
  let world: World
  let base: string
  let auth: Record<string, string>
  let owner: string
  beforeAll(async () => {
    world = await World.start({ METRICS_PORT: '0' })
    base = world.network.providerUrl
    const publisher = await world.somebody()
    owner = publisher.address
    auth = await tokenOf(base, publisher)
  })

  const files = () => world.local.app.context.settings.HOSTING_DIR
  const environment = () => {
    const { STATE_DIR } = world.local.app.context.settings
    return world.beside({ STATE_DIR, HOSTING: 'local', HOSTING_DIR: files() })
  }
  const run = (...args: string[]) => runHere(args, environment())

  it('sees how many there are, and how many bytes', async () => {
    await upload(base, CONTENT, auth)
    const url = await begin(base, 1000, auth)
    const metrics = world.local.app.metricsUrl as string
    const values = () =>
      Promise.all(['files', 'bytes', 'unfinished'].map((name) => metricOf(metrics, `tidegate_hosted_${name}`)))
    expect(await values()).toEqual([2, CONTENT.length + 1000, 1])
    const body = new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from('tide')) })
    const headers = { ...auth, 'tus-resumable': '1.0.0', 'upload-offset': '0' }
    const stop = new AbortController()
    const part = fetch(url, {
      ...{ method: 'PATCH', headers: { ...headers, 'content-type': 'application/offset+octet-stream' }, body },
      ...{ duplex: 'half', signal: stop.signal },
    } as RequestInit).catch(() => undefined)
    const active = () => metricOf(metrics, 'tidegate_uploads_active')
    await eventually(async () => (await active()) === 1)
    stop.abort()
    await part
    await eventually(async () => (await active()) === 0)
    await ask(url, { method: 'DELETE', headers: auth })
    expect(await values()).toEqual([1, CONTENT.length, 0])
  })

  it('lists and deletes them from the command line, beside the service', async () => {
    const url = await upload(base, CONTENT, auth, { metadata: { filename: 'a\u001b[2Jb.csv' } })
    const listed = await run('files', 'list', '--json', '--owner', owner)
    const rows = listed.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: string; size: number })
    expect(rows.find(({ id }) => id === idOf(url))).toMatchObject({
      owner,
      size: CONTENT.length,
      name: 'a\u001b[2Jb.csv',
    })
    const shown = await run('files', 'list')
    expect(shown.stdout).toContain(idOf(url))
    expect(shown.stdout).not.toContain('\u001b')

    await world.publish({ files: [{ type: 'hosted', id: idOf(url) }] })
    const kept = await run('files', 'remove', idOf(url))
    expect([kept.status, kept.stderr]).toEqual([
      1,
      expect.stringContaining('uses this file. Use --force to delete it.'),
    ])
    expect((await run('files', 'remove', idOf(url), '--force')).status).toBe(0)
    expect((await tus(url, 'HEAD', auth)).status).toBe(404)
    expect(() => bytesOf(files(), idOf(url))).toThrow('ENOENT')
    expect((await run('files', 'remove', idOf(url))).stderr).toContain('There is no such file.')
  })

  it('names files by ids that may look like options', async () => {
    for (const dashes of ['-', '--', '-c']) {
      const { status, stderr } = await run('files', 'remove', dashes.padEnd(43, 'A'), '--force')
      expect([status, stderr]).toEqual([1, 'tidegate: There is no such file.\n'])
    }
    for (const wrong of ['--forse', 'x']) {
      const { status, stderr } = await run('files', 'remove', wrong)
      expect([status, stderr]).toEqual([2, expect.stringContaining('It must be an id, as `tidegate files list`')])
    }
  })

  it('sees in a report what each publisher has, and what was delivered of it', async () => {
    const publisher = await world.somebody()
    const own = await tokenOf(base, publisher)
    const url = await upload(base, CONTENT, own)
    await begin(base, 1000, own)
    const asset = await world.publish({ files: [{ type: 'hosted', id: idOf(url) }], publisher })
    const buyer = await world.somebody()
    const txId = await world.order(asset, buyer)
    for (const range of ['bytes=0-9', 'bytes=0-'])
      await ask(await downloadUrl(base, asset, txId, buyer), { headers: { range } })
    await eventually(async () => {
      const rows: bigint[] = []
      for await (const { delivered } of world.local.app.context.store.deliveries.hosted({ since: 0, until: 1e15 }))
        rows.push(delivered)
      return rows.includes(BigInt(10 + CONTENT.length))
    })
    const counts = { files: 2, unfinished: 1, stored: CONTENT.length, reserved: CONTENT.length + 1000 }
    const line = { publisher: publisher.address, ...counts, deliveries: 1, delivered: 10 + CONTENT.length }
    const json = await run('report', '--hosted', '--json')
    expect(JSON.parse(json.stdout)).toContainEqual(line)
    const past = await run('report', '--hosted', '--json', '--until', '2020-01-01')
    expect(JSON.parse(past.stdout)).toContainEqual({ ...line, deliveries: 0, delivered: 0 })
    const csv = (await run('report', '--hosted', '--csv')).stdout.split('\r\n')
    expect(csv[0]).toBe('publisher,files,unfinished,stored,reserved,deliveries,delivered')
    expect(csv).toContain(Object.values(line).join(','))
    const text = (await run('report', '--hosted')).stdout
    expect(text).toMatch(/^publisher +files +unfinished +stored +reserved +deliveries +delivered\n/)
    expect(text).toMatch(new RegExp(`\n${Object.values(line).join(' +')}\n`))
    expect((await run('report', '--hosted', '--by', 'day')).status).toBe(2)
    expect(json.stdout + text).not.toContain(idOf(url))
  })

  it('learns from doctor --files which files differ from their uploads', async () => {
    const urls = await Promise.all(Array.from({ length: 4 }, () => upload(base, CONTENT, auth)))
    const [whole, altered, short, missing] = urls.map(idOf) as [string, string, string, string]
    const well = await run('doctor', '--files')
    expect(well.stdout).toMatch(/ok {4}hosted files: \d+ are as they were uploaded/)
    expect(well.stdout).not.toContain('hosted file ')
    writeFileSync(pathOf(files(), altered), Buffer.alloc(CONTENT.length))
    truncateSync(pathOf(files(), short), 3)
    rmSync(pathOf(files(), missing))
    writeFileSync(pathOf(files(), whole.slice(0, 2) + 'A'.repeat(41)), 'stranger')
    const { status, stdout } = await run('doctor', '--files')
    expect(status).toBe(1)
    expect(stdout).toContain(`FAIL  hosted file ${altered} of ${owner}: its bytes are not those that were uploaded`)
    expect(stdout).toContain(`FAIL  hosted file ${short} of ${owner}: bytes that were acknowledged are missing`)
    expect(stdout).toContain(`FAIL  hosted file ${missing} of ${owner}: its bytes are missing`)
    expect(stdout).not.toContain(`hosted file ${whole} `)
    expect(stdout).toContain('warn  hosted files: 1 in their place are not in the database')
  })
})
