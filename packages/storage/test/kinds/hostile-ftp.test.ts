import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Certificate, selfSigned } from '../../../../test/helpers/certificate.js'
import { AT_ONCE, eventually } from '../../../../test/helpers/eventually.js'
import { type FtpScript, fakeFtp } from '../../../../test/helpers/fake-ftp.js'
import { drip, flood, HostileServer } from '../../../../test/helpers/hostile-server.js'
import { heldBy } from '../../../../test/helpers/measured.js'
import { testEgress, testRegistry } from '../../../../test/helpers/storage-tools.js'
import { discard, type EgressOptions } from '../../src/egress/egress.js'
import type { OpenRequest } from '../../src/storage.js'

/** For servers that stall, of which nothing is to be had in time. */
const QUICK = { timeouts: { connectTimeout: 400, responseTimeout: 600, stallTimeout: 400 } }
const PATIENT = { connectTimeout: 90_000, responseTimeout: 90_000, stallTimeout: 90_000 }
const CONTENT = randomBytes(300_000)
const MEGABYTE = 1_048_576
/** Every step before the first byte. */
const STAGES = ['greeting', 'OPTS', 'USER', 'PASS', 'FEAT', 'TYPE', 'STRU', 'SIZE', 'EPSV', 'RETR', 'data'] as const

interface Changed {
  timeouts?: Partial<EgressOptions>
  scheme?: string
  certificate?: Certificate
  /** `onTestFinished` of the context of a concurrent test. */
  finished?: typeof onTestFinished
}

/** Runs a storage against a hostile server; afterwards, nothing of either may be left open. */
async function against(script: FtpScript, changed: Changed = {}) {
  const { timeouts = PATIENT, scheme = 'ftp', certificate, finished = onTestFinished } = changed
  const fake = await fakeFtp(CONTENT, script, certificate)
  const egress = testEgress(timeouts)
  const gone = new AbortController()
  const file = testRegistry(egress).file({ type: 'ftp', url: fake.url(scheme) })
  const asking: OpenRequest = { signal: gone.signal, budget: 'paid', method: 'GET', headers: {} }
  finished(async () => {
    await eventually(() => egress.inFlight('paid') + egress.inFlight('anonymous') === 0)
    await eventually(() => fake.open() === 0)
    await egress.close()
    await fake.close()
  })
  return { ...fake, egress, gone, file, asking, read: () => file.open(asking).then(({ body }) => bytesOf(body)) }
}

async function bytesOf(body: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of body) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

const silent = () => undefined
const says = (text: string) => (to: Socket) => void to.write(`${text}\r\n`)
const REFUSED = { code: 'STORAGE_REFUSED' }
const TOO_SLOW = { code: 'STORAGE_TIMEOUT' }

describe('an honest FTP server (threat 44)', () => {
  it('works, with a long greeting and slow responses within the time limits', async () => {
    const lines = Array.from({ length: 50 }, (_, line) => `220-line ${line} ${'.'.repeat(60)}`).join('\r\n')
    const later = (text: string) => (to: Socket) => void setTimeout(() => to.write(text), 100)
    const { read, file, asking, seen } = await against({
      greeting: later(`${lines}\r\n220 at last\r\n`),
      PASS: later('230-welcome\r\n230 in\r\n'),
      data: (to) => {
        to.write(CONTENT.subarray(0, 1000))
        setTimeout(() => to.end(CONTENT.subarray(1000)), 200)
      },
    })
    expect((await read()).equals(CONTENT)).toBe(true)
    expect(await file.describe(asking)).toMatchObject({ valid: true, contentLength: CONTENT.length })
    expect(seen.commands).toContain('USER tide')
  })

  it('serves ranges', async () => {
    const { file, asking } = await against({})
    const part = await file.open({ ...asking, headers: { range: 'bytes=5-9' } })
    expect((await bytesOf(part.body)).equals(CONTENT.subarray(5, 10))).toBe(true)
  })

  it('waits for a slow consumer', async () => {
    const large = Buffer.alloc(8 * MEGABYTE, 'x')
    const stallTimeout = 3000
    const { file, asking } = await against(
      { SIZE: says(`213 ${large.length}`), data: (to) => void to.end(large) },
      { timeouts: { ...PATIENT, stallTimeout } },
    )
    const { body } = await file.open(asking)
    // longer than the server may stall
    await new Promise((resolve) => setTimeout(resolve, 1.5 * stallTimeout))
    expect((await bytesOf(body)).length).toBe(large.length)
  })
})

describe('an FTP server that stalls (threat 44)', () => {
  it.concurrent.for(STAGES)('at %s: is abandoned at the deadline', async (stage, { onTestFinished: finished }) => {
    const { read, open, file, asking } = await against({ [stage]: silent }, { ...QUICK, finished })
    await expect(read()).rejects.toMatchObject(TOO_SLOW)
    await eventually(() => open() === 0, AT_ONCE)
    expect(await file.describe({ ...asking, budget: 'anonymous' })).toMatchObject({ valid: false })
  })

  it.each(STAGES)('at %s: is disconnected at once when the client disconnects', async (stage) => {
    let reached = false
    const stop = () => {
      reached = true
    }
    const { file, asking, open, gone, egress } = await against({ [stage]: stop })
    const opening = file.open(asking).catch((error) => error)
    await eventually(() => reached)
    expect(egress.inFlight('paid')).toBe(1)
    gone.abort()
    expect(await opening).toMatchObject(TOO_SLOW)
    expect(egress.inFlight('paid')).toBe(0)
    await eventually(() => open() === 0, AT_ONCE)
  })

  it.concurrent.for([
    'greeting',
    'SIZE',
  ])('by sending a byte at a time, at %s: is abandoned at the deadline', async (stage, context) => {
    for (const text of ['220-slow\r\n', '150 soon\r\n']) {
      const script = { [stage]: (to: Socket) => drip(to, 20, text) }
      const { read } = await against(script, { ...QUICK, finished: context.onTestFinished })
      await expect(read()).rejects.toMatchObject(TOO_SLOW)
    }
  })

  it('when a data connection is being opened: closes that connection as well', async () => {
    // a port that accepts connections and never answers
    const other = await HostileServer.start(silent)
    const { file, asking, gone } = await against({ EPSV: says(`229 here (|||${other.port}|)`), RETR: silent })
    const opening = file.open(asking).catch((error) => error)
    await eventually(() => other.open.size === 1)
    gone.abort()
    expect(await opening).toMatchObject(TOO_SLOW)
    await eventually(() => other.open.size === 0, AT_ONCE)
    await other.close()
  })

  it('in the middle of the file: breaks the transfer, and is disconnected when the consumer disconnects', async () => {
    const begun: FtpScript = { data: (to) => void to.write(CONTENT.subarray(0, 1000)) }
    await expect((await against(begun, QUICK)).read()).rejects.toMatchObject(TOO_SLOW)
    const left = await against(begun)
    const opened = await left.file.open(left.asking)
    opened.body.resume()
    left.gone.abort()
    await eventually(() => opened.body.destroyed && left.open() === 0, AT_ONCE)
    const unread = await against(begun)
    discard((await unread.file.open(unread.asking)).body)
    await eventually(() => unread.open() === 0, AT_ONCE)
  })

  it.each(STAGES)('by closing or resetting the connection at %s', async (stage) => {
    for (const close of [(to: Socket) => to.end(), (to: Socket) => to.resetAndDestroy()]) {
      const { read } = await against({ [stage]: close })
      await expect(read()).rejects.toMatchObject(REFUSED)
    }
  })

  it('by closing either connection in the middle of the file', async () => {
    const short: FtpScript = { data: (to) => void to.end(CONTENT.subarray(0, 1000)) }
    await expect((await against(short)).read()).rejects.toMatchObject(REFUSED)
    const { read, server } = await against({
      data: (to) => {
        to.write(CONTENT.subarray(0, 1000))
        for (const control of server.open) control.destroy()
      },
    })
    await expect(read()).rejects.toMatchObject(REFUSED)
  })
})

describe('an FTP server that sends too much (threat 44)', () => {
  const floods: number[] = []
  const flooded = new WeakSet<Socket>()
  const endless = (text: string) => (to: Socket) => {
    if (flooded.has(to)) return
    flooded.add(to)
    void flood(to, text.repeat(Math.ceil(65_536 / text.length))).then((sent) => floods.push(sent))
  }

  it.each<[string, FtpScript]>([
    ['a greeting without end', { greeting: endless('220-hello\r\n') }],
    ['a line without end', { greeting: endless('x') }],
    ['lines that say nothing', { greeting: endless('hello\r\n') }],
    ['empty lines', { USER: endless('\r\n') }],
    ['preliminary replies', { RETR: endless('150 soon\r\n') }],
    ['requests for the password', { PASS: endless('331 once more\r\n') }],
    ['features', { FEAT: endless('211-\r\n X\r\n') }],
    ['replies beside the file', { data: silent, RETR: endless('110 mark\r\n') }],
  ])('is cut off before it is buffered: %s', async (_, script) => {
    floods.length = 0
    const { read } = await against(script)
    const before = process.memoryUsage().rss
    const delay = await heldBy(() => expect(read()).rejects.toMatchObject(REFUSED))
    await eventually(() => floods.length === 1)
    expect(floods[0]).toBeLessThan(32 * MEGABYTE)
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * MEGABYTE)
    expect(delay).toBeLessThan(500)
  })

  it('is cut off at the announced size of the file', async () => {
    floods.length = 0
    const { read } = await against({ data: (to) => void flood(to, CONTENT).then((sent) => floods.push(sent)) })
    expect((await read()).equals(CONTENT)).toBe(true)
    await eventually(() => floods.length === 1)
    expect(floods[0]).toBeLessThan(32 * MEGABYTE)
  })

  it.each([
    '99999999999999999999',
    '-1',
    'NaN',
    '',
    'Infinity',
    '1e3x',
    '0x10',
    '9007199254740993',
  ])('says that the size is "%s"', async (size) => {
    const { read, file, asking } = await against({ SIZE: says(`213 ${size}`) })
    await expect(read()).rejects.toMatchObject({ code: expect.stringMatching(/^STORAGE_/) })
    expect(await file.describe(asking)).toMatchObject({ valid: false })
  })
})

describe('an FTP server that redirects the data connection (threat 44)', () => {
  it.each([
    '229 here (|||0|)',
    '229 here (|||22|)',
    '229 here (|||65536|)',
    '229 here (|||-1|)',
    '229 here (||||)',
    '229 here',
    '227 Entering Passive Mode (10,0,0,1,4,210)',
  ])('with %s is refused', async (reply) => {
    const { read } = await against({ EPSV: says(reply) })
    await expect(read()).rejects.toMatchObject(REFUSED)
  })

  it('to another host is connected to at the checked host', async () => {
    const { read, data, seen } = await against({ EPSV: (to) => void to.write(`229 (|1|10.0.0.1|${data.port}|)\r\n`) })
    await expect(read()).rejects.toMatchObject(REFUSED)
    expect(seen.commands).not.toContain('PASV')
  })
})

describe('ftps is TLS with a certificate of the host (threat 55)', () => {
  const certificate = selfSigned('127.0.0.1')
  const ftps = { scheme: 'ftps', certificate }

  it('encrypts control and data connections', async () => {
    const { read, seen, file, asking } = await against({}, { ...ftps, timeouts: { ...PATIENT, ca: certificate.cert } })
    expect((await read()).equals(CONTENT)).toBe(true)
    expect(await file.describe(asking)).toMatchObject({ valid: true })
    expect(seen.commands).toContain('PROT P')
    // AUTH TLS itself, twice
    expect(seen.plain).toBe(2)
  })

  it.each<[string, FtpScript, Changed]>([
    ['no TLS', {}, { scheme: 'ftps' }],
    ['no certificate that is trusted', {}, ftps],
    ['a certificate of another', {}, { ...ftps, timeouts: { ...PATIENT, ca: selfSigned('127.0.0.1').cert } }],
    ['words in place of TLS', { TLS: says('230 in') }, { ...ftps, timeouts: { ...PATIENT, ca: certificate.cert } }],
    ['silence in place of TLS', { TLS: silent }, { ...ftps, timeouts: { ...QUICK.timeouts, ca: certificate.cert } }],
    [
      'agreement without TLS',
      { AUTH: says('200 you need none') },
      // it does not answer the beginning of TLS
      { ...ftps, timeouts: { ...QUICK.timeouts, ca: certificate.cert } },
    ],
  ])('sends no secret to a server with %s', async (_, script, changed) => {
    const { read, seen } = await against(script, changed)
    await expect(read()).rejects.toMatchObject({ code: expect.stringMatching(/^STORAGE_/) })
    expect(seen.commands.filter((command) => !command.includes('AUTH TLS') && command !== 'QUIT')).toEqual([])
  })

  it('requires the name of the certificate', async () => {
    const named = selfSigned('files.example.org')
    const fake = await fakeFtp(CONTENT, {}, named)
    const lookup: EgressOptions['lookup'] = (_name, _options, found) =>
      found(null, [{ address: '127.0.0.1', family: 4 }])
    const egress = testEgress({ ...PATIENT, ca: named.cert, lookup })
    const asking: OpenRequest = { signal: new AbortController().signal, budget: 'paid', method: 'GET', headers: {} }
    const at = (host: string) =>
      testRegistry(egress)
        .file({ type: 'ftp', url: fake.url('ftps').replace('127.0.0.1', host) })
        .open(asking)
    expect((await bytesOf((await at('files.example.org')).body)).equals(CONTENT)).toBe(true)
    await expect(at('other.example.org')).rejects.toMatchObject(REFUSED)
    await egress.close()
    await fake.close()
  })
})
