import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { program } from '../../../../test/helpers/command.js'
import { CuttingProxy } from '../../../client/test/cutting-proxy.js'
import { CONTENT, SHA256, useScripts } from './scripts.js'

describe('tidegate get in scripts', () => {
  const scripts = useScripts()
  const { answer, at, published, refusal, run, settings } = scripts

  it('buys without a terminal only with --yes, even a free asset, and writes nothing before', async () => {
    const did = await published()
    const refused = await refusal(['get', did, '-o', at('free.csv'), '--account', '3'])
    expect(refused).toMatchObject({
      status: 3,
      error: { code: 'NOT_CONFIRMED', message: expect.stringMatching(/--yes$/) },
    })
    expect(existsSync(at('free.csv')) || existsSync(at('free.csv.part'))).toBe(false)
    expect(await answer('orders', '--account', '3')).toMatchObject({ orders: [] })
    expect(await answer('get', did, '-o', at('free.csv'), '--account', '3', '--yes')).toMatchObject({ bought: true })
    const again = await answer('get', did, '-o', at('again.csv'), '--account', '3')
    expect(again).toMatchObject({ bought: false, sha256: SHA256 })
  })

  it('and buy pay no more than --max-price, in the token that it names', async () => {
    const did = await published('--price', '5')
    const { units, token } = (await answer('quote', did, '--account', '2')).price.total[0] as Record<string, string>
    const exact = `${BigInt(units as string) / 10n ** 18n}.${(BigInt(units as string) % 10n ** 18n).toString().padStart(18, '0')}`
    const buy = ['buy', did, '--account', '2', '--yes']
    const other = scripts.world.network.accounts[4]?.address as string
    for (const cap of ['5', '5:OCEAN', '1000:USDC', `5:${token}`, `1000:${other}`, '0'])
      for (const command of [buy, ['get', did, '-o', at('dear.csv'), '--account', '2', '--yes']])
        expect(await refusal([...command, '--max-price', cap])).toMatchObject({
          status: 1,
          error: { code: 'PRICE_TOO_HIGH', message: expect.stringContaining('--max-price') },
        })
    expect(existsSync(at('dear.csv')) || existsSync(at('dear.csv.part'))).toBe(false)
    const orders = async () => (await answer('orders', '--account', '2')).orders as { did: string }[]
    expect((await orders()).filter((order) => order.did === did)).toEqual([])
    for (const cap of ['much', '-1', '5:', '5:O CEAN', `5:${token}:1`])
      expect(await refusal([...buy, `--max-price=${cap}`])).toMatchObject({ status: 2, error: { code: 'USAGE' } })
    expect(await refusal([...buy, '--max-price=9:EURX'])).toMatchObject({ status: 1, error: { code: 'UNKNOWN_TOKEN' } })
    expect(await answer(...buy, '--max-price', `${exact}:ocean`)).toMatchObject({ reused: false })
    // a valid order costs nothing
    expect(await answer(...buy, '--max-price', '0')).toMatchObject({ reused: true })
  })

  it('downloads one of several files or all of them, and otherwise refuses', async () => {
    const other = scripts.world.storage.file('/more/tides.csv', Buffer.from('other'))
    const did = (await answer('publish', scripts.url, other, '--name', 'Two', '--free', '--account', '1', '--yes')).did
    const args = ['get', did, '--account', '4', '--yes']
    expect(await refusal(args)).toMatchObject({
      status: 2,
      error: { message: expect.stringMatching(/2 files: choose one/) },
    })
    expect(await refusal([...args, '--file', '2'])).toMatchObject({ status: 1, error: { code: 'NO_SUCH_FILE' } })
    expect(await answer(...args, '--file', '1', '-o', at('second.csv'))).toMatchObject({ file: 1, bytes: 5 })
    expect(await answer(...args, '--file', 'tides.csv', '-o', at('named.csv'))).toMatchObject({ file: 0 })
    expect(await refusal([...args, '--file', 'more/tides.csv'])).toMatchObject({ error: { code: 'NO_SUCH_FILE' } })
    const folder = at('all')
    mkdirSync(folder)
    const all = await answer(...args, '--all', '-o', folder)
    expect(all.files.map(({ bytes }: { bytes: number }) => bytes)).toEqual([CONTENT.length, 5])
    // both have the same name
    const got = () => readdirSync(folder).filter((name) => !name.startsWith('.'))
    expect(got().sort()).toEqual(all.files.map(({ path }: { path: string }) => basename(path)).sort())
    expect(got()).toHaveLength(2)
    for (const { path } of all.files.slice(1)) rmSync(path)
    // completed files of an earlier run are kept, the rest is downloaded
    const { stderr } = await run([...args, '--all', '-o', folder])
    expect(stderr).toMatch(/1 file is there already/)
    const sizes = () => got().map((name) => statSync(join(folder, name)).size)
    expect(sizes().sort()).toEqual([5, CONTENT.length].sort())
    // neither replaces the other
    expect((await answer(...args, '--all', '-o', folder, '--force')).files).toHaveLength(2)
    expect(sizes().sort()).toEqual([5, CONTENT.length].sort())
  })

  it('overwrites only with --force, and pays nothing if it cannot write', async () => {
    const did = await published('--price', '1', '--anonymous-files')
    writeFileSync(at('mine.csv'), 'mine')
    const refused = await refusal(['get', did, '-o', at('mine.csv'), '--account', '5', '--yes'])
    expect(refused).toMatchObject({ status: 1, error: { code: 'FILE_EXISTS' } })
    expect(await refusal(['get', did, '-o', at('none/x.csv'), '--account', '5', '--yes'])).toMatchObject({ status: 2 })
    expect(readFileSync(at('mine.csv'), 'utf8')).toBe('mine')
    expect(await answer('orders', '--account', '5')).toMatchObject({ orders: [] })
    // into a folder, under the known name of an earlier run
    const folder = at('taken')
    mkdirSync(folder)
    const { services } = await answer('show', did)
    writeFileSync(join(folder, 'tides.csv'), 'mine')
    writeFileSync(join(folder, 'tides.csv.part.json'), JSON.stringify({ did, service: services[0].id, file: 0 }))
    const into = ['get', did, '-o', folder, '--account', '5', '--yes']
    expect(await refusal(into)).toMatchObject({ status: 1, error: { code: 'FILE_EXISTS' } })
    expect(await answer('orders', '--account', '5')).toMatchObject({ orders: [] })
    // if the name is unknown before, the error names the purchase, and the next call uses it
    rmSync(join(folder, 'tides.csv.part.json'))
    const late = await run([...into, '--json'])
    const [order] = (await answer('orders', '--account', '5')).orders
    const { error } = JSON.parse(late.stdout)
    expect({ status: late.status, ...error }).toMatchObject({ status: 1, code: 'FILE_EXISTS' })
    expect(error.transactions.at(-1)).toBe(order.tx)
    expect(error.message).toContain(`To use order ${order.tx} without another payment`)
    expect(error.message).toMatch(/: tidegate get did:op:[0-9a-f]{64} -o ANOTHER-NAME --account 5$/)
    expect(await answer('get', did, '-o', join(folder, 'other.csv'), '--account', '5')).toMatchObject({
      bought: false,
      order: order.tx,
    })
    expect(readFileSync(join(folder, 'tides.csv'), 'utf8')).toBe('mine')
    const forced = ['get', did, '-o', at('mine.csv'), '--account', '5', '--yes', '--force']
    expect(await answer(...forced)).toMatchObject({ bytes: CONTENT.length })
  })

  it('renames a file with another SHA-256', async () => {
    const did = await published()
    const args = ['get', did, '-o', at('wrong.csv'), '--account', '3', '--yes', '--sha256', '0'.repeat(64)]
    expect(await refusal(args)).toMatchObject({ status: 1, error: { code: 'CHECKSUM' } })
    expect(existsSync(at('wrong.csv'))).toBe(false)
    expect(readFileSync(at('wrong.csv.differs')).equals(CONTENT)).toBe(true)
    // and replaces no other file
    writeFileSync(at('wrong.csv.differs'), 'mine')
    expect(await refusal(args)).toMatchObject({ status: 1, error: { code: 'CHECKSUM' } })
    expect(readFileSync(at('wrong.csv.differs'), 'utf8')).toBe('mine')
    expect(readFileSync(at('wrong.csv.differs-1')).equals(CONTENT)).toBe(true)
  })

  it('resumes after the network was lost', async () => {
    const proxy = await CuttingProxy.before(scripts.world.network.providerUrl)
    try {
      const did = await published()
      proxy.cuts = [20_000, 10_000]
      const environment = { TIDEGATE_PROVIDER: proxy.url }
      const { status, stderr } = await run(['get', did, '-o', at('cut.csv'), '--account', '6', '--yes'], environment)
      expect({ status, cut: proxy.cut }, stderr).toEqual({ status: 0, cut: 2 })
      expect(readFileSync(at('cut.csv')).equals(CONTENT)).toBe(true)
    } finally {
      proxy.close()
    }
  })

  it('keeps the part when the disk is full, and resumes when there is space', async () => {
    const large = Buffer.from('hour,height\n'.repeat(400_000))
    const file = scripts.world.storage.file('/large.csv', large)
    const { did } = await answer('publish', file, '--name', 'Large', '--free', '--account', '1', '--yes')
    const args = [process.execPath, ...program(), 'get', did, '-o', at('full.csv'), '--account', '7', '--yes']
    const env = { ...settings(), PATH: process.env.PATH }
    // in blocks of 1 KiB; a process beyond its limit fails like one on a full disk
    const limited = ['-c', 'ulimit -f 2000; exec "$0" "$@"', ...args]
    const refused = await promisify(execFile)('bash', limited, { env }).catch((error) => error)
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^tidegate: .*To use order 0x\w+ without another payment, run: tidegate get/m),
    })
    expect(statSync(at('full.csv.part')).size).toBeLessThan(large.length)
    expect(existsSync(at('full.csv'))).toBe(false)
    expect(await answer('get', did, '-o', at('full.csv'), '--account', '7')).toMatchObject({ bought: false })
    expect(readFileSync(at('full.csv')).equals(large)).toBe(true)
  })
})
