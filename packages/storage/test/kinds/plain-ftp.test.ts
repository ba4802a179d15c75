import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Certificate, selfSigned } from '../../../../test/helpers/certificate.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { type FtpScript, fakeFtp } from '../../../../test/helpers/fake-ftp.js'
import { ASKING, testEgress, testRegistry } from '../../../../test/helpers/storage-tools.js'
import type { OpenedFile, OpenRequest } from '../../src/storage.js'
import { notDelivered } from '../../src/storage-failures.js'

const CONTENT = randomBytes(300_000)

const says = (text: string) => (to: Socket) => void to.write(`${text}\r\n`)

type Script = (dataPort: () => number, connection: () => Promise<Socket>) => FtpScript
type Case = [string, (port: () => number) => FtpScript, number]

/** A server that follows a script, which may use the port of its data connections. */
async function scripted(script: Script, content = CONTENT, certificate?: Certificate) {
  let port = 0
  const fake = await fakeFtp(
    content,
    script(
      () => port,
      () => fake.connection(),
    ),
    certificate,
  )
  port = fake.data.port
  const egress = testEgress(certificate ? { ca: certificate.cert } : {})
  const file = testRegistry(egress).file({ type: 'ftp', url: fake.url(certificate ? 'ftps' : 'ftp') })
  onTestFinished(async () => {
    await eventually(() => egress.inFlight('paid') === 0 && fake.open() === 0)
    await egress.close()
    await fake.close()
  })
  const open = (headers: OpenRequest['headers'] = {}, method: OpenRequest['method'] = 'GET') =>
    file.open({ ...ASKING, method, headers })
  return { file, open, seen: fake.seen }
}

const bytes = async ({ body }: OpenedFile) => Buffer.concat(await body.toArray())

/** A reply to PASV with an address that must not be connected to. */
const passive = (port: () => number, written = (high: number, low: number) => `(10,0,0,1,${high},${low}).`) => {
  return (to: Socket) => void to.write(`227 Entering Passive Mode ${written(port() >> 8, port() & 255)}\r\n`)
}
const signed = (byte: number) => (byte > 127 ? byte - 256 : byte)
/** A transfer with replies of its own, whose data begin after the first reply. */
const transfer = (data: () => Promise<Socket>, content: Buffer, before: string, after?: string) => (to: Socket) => {
  to.write(`${before}\r\n`)
  void data().then((socket) => setTimeout(() => socket.end(content, () => after && to.write(`${after}\r\n`)), 20))
}
const soon = (text: string) => (to: Socket) => void setTimeout(() => to.write(text), 50)
const NO = says('502 not implemented')
const MLST = says(`250-Listing\r\n type=file;Size=${CONTENT.length};modify=20261121072800; /a.csv\r\n250 End`)

const SIZED: Case[] = [
  ['control: every command', () => ({}), 206],
  ['PASV alone', (port) => ({ EPSV: says('500 what?'), PASV: passive(port) }), 206],
  ['IPv4 alone', (port) => ({ EPSV: says('522 use (1)'), PASV: passive(port) }), 206],
  ['MLST alone', () => ({ SIZE: NO, MLST }), 206],
  ['MLST, if SIZE is forbidden', () => ({ SIZE: says('550 not in this mode'), MLST }), 206],
  [
    'MLST with its code in each line',
    () => ({ SIZE: NO, MLST: says(`250-a\r\n250-size=${CONTENT.length}; a\r\n250 b`) }),
    206,
  ],
  [
    'MLST between blank lines',
    () => ({ SIZE: NO, MLST: says(`250-a\r\n\r\nSIZE=${CONTENT.length};Type=file; a\r\n250 `) }),
    206,
  ],
  ...[425, 500, 501, 502, 522, 550].map(
    (code): Case => [`EPSV refused with ${code}`, (port) => ({ EPSV: says(`${code} no`), PASV: passive(port) }), 206],
  ),
  ...Object.entries<(high: number, low: number) => string>({
    bare: (high, low) => `10,0,0,1,${high},${low}`,
    equals: (high, low) => `=127,0,0,1,${high},${low}`,
    spaced: (high, low) => `(10, 0, 0, 1, ${high}, ${low})`,
    'of three digits': (high, low) =>
      `(010,000,000,001,${String(high).padStart(3, '0')},${String(low).padStart(3, '0')})`,
    signed: (high, low) => `(-64,-88,0,1,${signed(high)},${signed(low)})`,
    'of no address': (high, low) => `(0,0,0,0,${high},${low})`,
    'of nonsense': (high, low) => `(999,0,0,1,${high},${low})`,
  }).map(([form, written]): Case => [`PASV, ${form}`, (port) => ({ EPSV: NO, PASV: passive(port, written) }), 206]),
  ...[200, 500, 501, 502, 504, 550].map(
    (code): Case => [`REST answered with ${code}`, () => ({ REST: says(`${code} no`) }), 200],
  ),
  ['SIZE in several lines', () => ({ SIZE: says(`213-Size\r\n213 ${CONTENT.length}`), MLST: NO }), 206],
  [
    'a greeting that comes later',
    () => ({ greeting: soon('120-soon\r\n120 wait\r\n220-in\r\n 220 x\r\n220 go\r\n') }),
    206,
  ],
  ['no password', () => ({ USER: says('230 in') }), 206],
  ['other replies', () => ({ TYPE: says('250 binary'), PASS: says('202 superfluous'), STRU: says('504 no') }), 206],
  ['no FEAT and no OPTS', () => ({ FEAT: NO, OPTS: NO }), 206],
  [
    'PASV and MLST alone',
    (port) => ({ EPSV: NO, PASV: passive(port), SIZE: NO, MLST, REST: NO, FEAT: NO, OPTS: NO }),
    200,
  ],
]

describe('an FTP server that knows few commands', () => {
  it.each(SIZED)('%s: is described, and delivers the file and its ranges', async (_case, script, status) => {
    const { file, open } = await scripted(script)
    expect(await file.describe(ASKING)).toEqual({ valid: true, contentLength: CONTENT.length, name: 'a.csv' })
    const opened = await open()
    expect(opened.headers['content-length']).toBe(String(CONTENT.length))
    expect((await bytes(opened)).equals(CONTENT)).toBe(true)
    const part = await open({ range: 'bytes=5-9' })
    expect(part.status).toBe(status)
    expect((await bytes(part)).equals(status === 206 ? CONTENT.subarray(5, 10) : CONTENT)).toBe(true)
    const beginning = await open({ range: 'bytes=0-4' })
    expect([beginning.status, (await bytes(beginning)).equals(CONTENT.subarray(0, 5))]).toEqual([206, true])
  })

  it.each<[string, FtpScript]>([
    ['neither SIZE nor MLST', { SIZE: NO, MLST: NO }],
    ['an MLST without sizes', { SIZE: NO, MLST: says('250-Listing\r\n type=file; /a.csv\r\n250 End') }],
  ])('%s: delivers the whole file without a length', async (_case, script) => {
    const { file, open } = await scripted(() => script)
    expect(await file.describe(ASKING)).toEqual({ valid: true, name: 'a.csv' })
    for (const headers of [{}, { range: 'bytes=5-9' }] as OpenRequest['headers'][]) {
      const opened = await open(headers)
      expect([opened.status, opened.headers]).toEqual([200, {}])
      expect((await bytes(opened)).equals(CONTENT)).toBe(true)
    }
    expect(await open({}, 'HEAD')).toMatchObject({ status: 200, headers: {} })
  })

  it.each<[string, (content: Buffer, data: () => Promise<Socket>) => FtpScript]>([
    ['125 and 250', (content, data) => ({ RETR: transfer(data, content, '125 it is open', '250 done') })],
    ['the end before the data', (content, data) => ({ RETR: transfer(data, content, '150 x\r\n226 done') })],
    ['several lines', (content, data) => ({ RETR: transfer(data, content, '150-a\r\n b\r\n150 c', '226-a\r\n226 b') })],
    ['a word between', (content, data) => ({ RETR: transfer(data, content, '150 a\r\n110 MARK', '226 b') })],
  ])('%s: delivers a file of known and of unknown size', async (_case, script) => {
    for (const size of [{}, { SIZE: NO, MLST: NO }]) {
      const content = CONTENT.subarray(0, 5000)
      const { file, open } = await scripted((_port, data) => ({ ...size, ...script(content, data) }), content)
      expect(await file.describe(ASKING)).toEqual({ valid: true, contentLength: 5000, name: 'a.csv' })
      expect((await bytes(await open())).equals(content)).toBe(true)
    }
  })

  it('delivers all bytes of a file with the announced size 0', async () => {
    const { file, open } = await scripted(() => ({ SIZE: says('213 0') }))
    expect(await file.describe(ASKING)).toEqual({ valid: true, name: 'a.csv' })
    expect((await bytes(await open())).equals(CONTENT)).toBe(true)
    const empty = await scripted(() => ({}), Buffer.alloc(0))
    expect(await empty.file.describe(ASKING)).toMatchObject({ valid: true, contentLength: 0 })
    const opened = await empty.open()
    expect([opened.headers, await bytes(opened)]).toEqual([{ 'content-length': '0' }, Buffer.alloc(0)])
  })

  it('ftps works with PASV and MLST alone', async () => {
    const certificate = selfSigned('127.0.0.1')
    const script = (port: () => number): FtpScript => ({ EPSV: NO, PASV: passive(port), SIZE: NO, MLST, REST: NO })
    const { file, open } = await scripted(script, CONTENT, certificate)
    expect(await file.describe(ASKING)).toMatchObject({ valid: true, contentLength: CONTENT.length })
    expect((await bytes(await open())).equals(CONTENT)).toBe(true)
  })

  it.each([0, 1, 5000])('a short file of unknown size has %i bytes', async (length) => {
    const content = CONTENT.subarray(0, length)
    const { file, open } = await scripted(() => ({ SIZE: NO, MLST: NO }), content)
    expect(await file.describe(ASKING)).toMatchObject({ valid: true, contentLength: length })
    expect((await bytes(await open())).equals(content)).toBe(true)
  })

  it.each<[string, FtpScript, string?]>([
    ['the file cannot be read', { RETR: says('550 permission denied') }, 'not_found'],
    ['there is no file', { SIZE: says('550 no'), MLST: says('550 no'), RETR: says('550 no') }, 'not_found'],
    ['there is no passive mode', { EPSV: NO, PASV: NO }],
    ['PASV names a port of another service', { EPSV: NO, PASV: says('227 here (127,0,0,1,0,22)') }],
    ['PASV names a byte too many', { EPSV: NO, PASV: says('227 here (127,0,0,1,256,1)') }],
    ['PASV names half an address', { EPSV: NO, PASV: says('227 here (127,0,0,8,1)') }],
    ['TYPE is refused, so that bytes would change', { TYPE: says('504 text alone') }],
    ['PASV names no port', { EPSV: NO, PASV: says('227 here (127,0,0,1,999,1)') }],
    ['MLST names no number', { SIZE: NO, MLST: says('250-x\r\n size=1e9; /a.csv\r\n250 End') }],
    ['a long file is shorter than announced', { SIZE: says(`213 ${CONTENT.length + 5}`) }],
    ['the file is shorter than announced', { SIZE: says('213 50'), data: (to) => void to.end('tide') }],
    [
      'a file of unknown size is not confirmed',
      {
        SIZE: NO,
        MLST: NO,
        RETR: says('150 here\r\n426 broken'),
      },
    ],
  ])('%s: is neither valid nor delivered', async (_case, script, reason = 'failed') => {
    const { file, open } = await scripted(() => script)
    expect(await file.describe(ASKING)).toEqual({ valid: false, reason })
    await expect(open().then(bytes)).rejects.toMatchObject({ code: 'STORAGE_REFUSED' })
  })
})

it.each([
  ['ftp://files.example.org/a.csv', 21],
  ['ftps://files.example.org/a.csv', 990],
])('%s is fetched from port %i', async (url, port) => {
  const egress = testEgress()
  const ports: number[] = []
  egress.pin = async (_url, standard) => {
    ports.push(standard)
    throw notDelivered()
  }
  await expect(
    testRegistry(egress)
      .file({ type: 'ftp', url })
      .open({ ...ASKING, method: 'GET', headers: {} }),
  ).rejects.toThrow()
  expect(ports).toEqual([port])
  await egress.close()
})
