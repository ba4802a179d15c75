import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { runHere } from '../../../../test/helpers/command-here.js'
import { type Home, makeHome, Terminal } from '../../../../test/helpers/terminal.js'
import { World } from '../../../../test/helpers/world.js'

const TEXT = '# Terms\nUse the tables at your own risk.\n'
const SHA256 = createHash('sha256').update(TEXT).digest('hex')

describe('the terms and samples of an asset', () => {
  let world: World
  let home: Home
  let environment: Record<string, string>
  let file: string
  beforeAll(async () => {
    world = await World.start()
    home = makeHome()
    const { providerUrl, rpcUrl } = world.network
    environment = { ...home.environment, TIDEGATE_PROVIDER: providerUrl, TIDEGATE_RPC: rpcUrl }
    file = world.storage.file('/tides.csv', Buffer.from('0:00,3.1\n'))
    writeFileSync(at('terms.md'), TEXT)
    writeFileSync(at('sample.csv'), 'hour,height\n')
  })
  afterEach(() => Terminal.endAll())
  afterAll(async () => {
    await world.close()
    home.remove()
  })

  const at = (name: string) => join(home.folder, name)
  async function run(...args: string[]) {
    const { status, stdout, stderr } = await runHere([...args, '--json'], environment)
    return { status, stderr, answer: JSON.parse(stdout) }
  }
  async function done(...args: string[]) {
    const { status, stderr, answer } = await run(...args)
    expect(status, stderr).toBe(0)
    return answer
  }
  const publish = async (...more: string[]): Promise<string> =>
    (await done('publish', file, '--name', 'Tides', '--free', '--account', '1', '--yes', ...more)).did

  it('are uploaded for everybody, shown, accepted, and proven by the receipt', async () => {
    const did = await publish('--terms', at('terms.md'), '--sample', at('sample.csv'))
    const { terms, links } = await done('show', did)
    expect(terms).toMatchObject({ name: 'terms.md', sha256: SHA256, isHere: true, contentType: 'text/markdown' })
    expect(await (await fetch(terms.url)).text()).toBe(TEXT)
    expect(links).toMatchObject([{ name: 'sample.csv', isHere: true }])
    expect(await (await fetch(links[0].url)).text()).toBe('hour,height\n')
    const { stdout } = await runHere(['show', did], environment)
    expect(stdout).toContain(`Terms      terms.md, on ${terms.host}: ${terms.url}`)
    expect(stdout).toContain('Sample     sample.csv')

    const refused = await run('get', did, '-o', at('tides.csv'), '--account', '2', '--yes')
    expect(refused).toMatchObject({ status: 3, answer: { error: { code: 'TERMS_NOT_ACCEPTED' } } })
    for (const part of [terms.url, SHA256, '--accept-terms --yes']) expect(refused.answer.error.message).toContain(part)
    const unsure = await run('buy', did, '--account', '2', '--accept-terms')
    expect(unsure).toMatchObject({ status: 3, answer: { error: { code: 'NOT_CONFIRMED' } } })
    const got = await done('get', did, '-o', at('tides.csv'), '--account', '2', '--yes', '--accept-terms')
    expect(got).toMatchObject({ bought: true })

    await world.indexed(got.order)
    expect(await done('receipt', got.order, '--account', '2')).toMatchObject({
      terms: { sha256: SHA256, isCurrent: true },
    })
    const lines = await runHere(['receipt', got.order, '--account', '2'], environment)
    expect(lines.stdout).toContain(`accepted: SHA-256 ${SHA256}; these are the current terms`)
    // downloads of a valid order need none
    expect(await done('get', did, '-o', at('again.csv'), '--account', '2')).toMatchObject({ bought: false })
  })

  it('are requested from a host of the publisher only after consent (threat 123)', async () => {
    const url = world.storage.file('/foreign.md', Buffer.from(TEXT), 'text/markdown')
    const did = await publish('--terms', url)
    const seen = () => world.storage.seen('/foreign.md').length
    const published = seen()
    const refused = await run('buy', did, '--account', '6', '--yes')
    expect(refused.answer.error).toMatchObject({ code: 'TERMS_NOT_ACCEPTED', message: expect.stringContaining(SHA256) })
    const terminal = Terminal.run(['buy', did, '--account', '6', '--yes'], environment, home.folder)
    await terminal.shows(/Do you accept the terms "foreign\.md"\?/)
    expect([terminal.text.includes(SHA256), seen()]).toEqual([true, published])
    terminal.type('y')
    await terminal.shows(/bought by order/)
    expect([await terminal.ended(), seen()]).toEqual([0, published + 1])
  })

  it('are asked for separately on a terminal', async () => {
    const did = await publish('--terms', at('terms.md'))
    const terminal = Terminal.run(['buy', did, '--account', '3', '--yes'], environment, home.folder)
    await terminal.shows(/Do you accept the terms "terms\.md"\?/)
    expect(terminal.text).toContain(SHA256)
    terminal.type('\r')
    expect(await terminal.ended()).toBe(3)
  })

  it('are changed and removed by the publisher; other links stay', async () => {
    const did = await publish('--sample', at('sample.csv'))
    const update = (...more: string[]) => done('update', did, '--account', '1', '--yes', ...more)
    expect(await update('--terms', at('terms.md'), '--no-samples')).toMatchObject({ changed: ['terms', 'samples'] })
    expect(await done('show', did)).toMatchObject({ terms: { sha256: SHA256 }, links: [] })
    expect(await update('--terms', at('terms.md'))).toMatchObject({ changed: [] })
    const url = world.storage.file('/other.txt', Buffer.from('Other terms'), 'text/plain')
    expect(await update('--terms', url, '--sample', at('sample.csv'))).toMatchObject({ changed: ['terms', 'samples'] })
    expect(await done('show', did)).toMatchObject({ terms: { url, isHere: false }, links: [{ name: 'sample.csv' }] })

    world.storage.file('/other.txt', Buffer.from('Swapped terms'), 'text/plain')
    const swapped = await run('buy', did, '--account', '2', '--yes', '--accept-terms')
    expect(swapped).toMatchObject({ status: 1, answer: { error: { code: 'TERMS_CHANGED' } } })
    world.storage.on('/other.txt', (_, response) => void response.writeHead(500).end())
    const gone = await run('buy', did, '--account', '2', '--yes', '--accept-terms')
    expect(gone).toMatchObject({ status: 1, answer: { error: { code: 'DOCUMENT_UNREADABLE' } } })
    expect(await update('--terms', 'none')).toMatchObject({ changed: ['terms'] })
    expect(await done('buy', did, '--account', '2', '--yes')).toMatchObject({ reused: false })
  })

  it('are refused before anything is uploaded or paid', async () => {
    writeFileSync(at('long.md'), Buffer.alloc(20_000_000, 'a'))
    writeFileSync(at('page.html'), '<p>')
    const publishing = (...more: string[]) =>
      run('publish', file, '--name', 'Tides', '--free', '--account', '5', '--yes', ...more)
    for (const [args, message] of [
      [['--terms', at('long.md')], 'larger than 5 MiB'],
      [['--terms', at('page.html')], 'text, Markdown or PDF'],
      [['--terms', at('none.md')], 'is no file'],
      [['--sample', at('long.md')], 'larger than 5 MiB'],
      [
        Array(11)
          .fill(['--sample', at('sample.csv')])
          .flat(),
        'at most 10 samples',
      ],
    ] as const) {
      const { status, answer } = await publishing(...args)
      expect([status, answer.error.message]).toEqual([2, expect.stringContaining(message)])
    }
    const away = await publishing(
      '--terms',
      world.storage.on('/gone', (_, response) => void response.writeHead(404).end()),
    )
    expect(away).toMatchObject({ status: 1, answer: { error: { code: 'DOCUMENT_UNREADABLE' } } })
    expect(await world.provider.getTransactionCount(world.network.accounts[5]?.address as string)).toBe(0)
  })

  it('are sold to members whose list can be changed', async () => {
    const { list } = await done('list', 'create', '--name', 'Harbours', '--account', '1', '--yes')
    const did = await publish('--allow', world.network.accounts[2]?.address as string)
    const update = (...more: string[]) => run('update', did, '--account', '1', '--yes', ...more)
    const buyers = async () => (await done('show', did)).buyers
    expect(await update('--allow-list', list)).toMatchObject({ status: 0, answer: { changed: ['accessLists'] } })
    expect(await buyers()).toMatchObject({ accounts: { length: 1 }, lists: [{ address: list }] })
    expect(await update('--allow-list', 'none')).toMatchObject({ status: 0 })
    expect(await buyers()).toMatchObject({ accounts: { length: 1 }, lists: [] })
    expect(await update('--allow-list', file.slice(0, 3))).toMatchObject({ status: 2 })

    const open = await publish('--allow-list', list)
    const closing = await run('update', open, '--account', '1', '--yes', '--allow-list', 'none')
    expect(closing).toMatchObject({ status: 1, answer: { error: { code: 'BAD_REQUEST' } } })
    await done('update', open, '--account', '1', '--yes', '--allow-everybody')
    expect((await done('show', open)).buyers).toBeUndefined()
  })

  it('come with balances and the network fee in a quote', async () => {
    const did = (await done('publish', file, '--name', 'Tides', '--price', '5', '--account', '1', '--yes')).did
    const quote = await done('quote', did, '--account', '2')
    expect(quote).toMatchObject({ held: [{ symbol: 'OCEAN' }], coin: { held: expect.stringMatching(/^\d+$/) } })
    const before = await world.provider.getBalance(world.network.accounts[2]?.address as string)
    await done('buy', did, '--account', '2', '--yes')
    const after = await world.provider.getBalance(world.network.accounts[2]?.address as string)
    const spent = before.sub(after).toBigInt()
    expect(Number(quote.coin.fee) / Number(spent)).toBeGreaterThan(0.5)
    expect(Number(quote.coin.fee) / Number(spent)).toBeLessThan(3)
    const { stdout } = await runHere(['quote', did, '--account', '9'], environment)
    expect(stdout).toMatch(/Network fee +about 0\.\d+ of \d+/)
  })
})
