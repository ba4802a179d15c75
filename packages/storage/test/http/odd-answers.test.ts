import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { eventually } from '../../../../test/helpers/eventually.js'
import { drip, HostileServer } from '../../../../test/helpers/hostile-server.js'
import { UNLIMITED } from '../../../../test/helpers/policy.js'
import { ASKING, testEgress, testRegistry } from '../../../../test/helpers/storage-tools.js'
import type { EgressOptions } from '../../src/egress/egress.js'
import type { OpenRequest } from '../../src/storage.js'

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n'
const WHOLE = 'HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\ntide'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** A url file on a server whose raw answer depends on the request. */
async function answering(answer: (socket: Socket, asked: number) => unknown, options: Partial<EgressOptions> = {}) {
  const server = await HostileServer.start((socket) => socket.on('data', () => void answer(socket, ++asked)))
  let asked = 0
  const limits = { ...UNLIMITED.limits, paid: { ...UNLIMITED.limits.paid, maxPerHost: 1 } }
  const egress = testEgress({ ...options, limits })
  closing.push(
    () => egress.close(),
    () => server.close(),
  )
  const file = testRegistry(egress).file({ type: 'url', url: `http://127.0.0.1:${server.port}/`, method: 'GET' })
  const open = (headers: OpenRequest['headers'] = {}) => file.open({ ...ASKING, method: 'GET', headers })
  const text = async (headers: OpenRequest['headers'] = {}) =>
    Buffer.concat(await (await open(headers)).body.toArray()).toString()
  return { server, egress, open, text }
}

describe('a response that ends with its connection', () => {
  const HALF = 'HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nhalf'

  it('control: is complete when the connection is closed gracefully', async () => {
    const { text } = await answering((socket) => socket.end(HALF))
    expect(await text()).toBe('half')
  })

  it('is broken when the connection is reset (threat 78)', async () => {
    const sockets: Socket[] = []
    const { open } = await answering((socket) => {
      sockets.push(socket)
      socket.write(HALF)
    })
    const { body } = await open()
    sockets[0]?.resetAndDestroy()
    await expect(body.toArray()).rejects.toThrow()
  })
})

describe('interim responses (threat 83)', () => {
  it('control: a few of them are skipped', async () => {
    const { text } = await answering((socket) => socket.write(`${'HTTP/1.1 102 Processing\r\n\r\n'.repeat(3)}${WHOLE}`))
    expect(await text()).toBe('tide')
  })

  it.each(['102 Processing', '103 Early Hints', '100 Continue'])('endless %s is aborted in time', async (status) => {
    const drips = (socket: Socket) => drip(socket, 2, `HTTP/1.1 ${status}\r\n\r\n`)
    const { server, egress, open } = await answering(drips, { responseTimeout: 400 })
    await expect(open()).rejects.toMatchObject({ code: 'STORAGE_TIMEOUT' })
    await eventually(() => server.open.size === 0 && egress.inFlight('paid') === 0)
  })

  it('an unexpected 100 Continue is skipped, also on a kept-alive connection', async () => {
    const { server, text } = await answering(async (socket, asked) => {
      if (asked === 1) return socket.write(CONTINUE + WHOLE)
      if (asked === 2) return socket.write(`HTTP/1.1 100 Continue\r\nserver: old\r\n\r\n${CONTINUE}${WHOLE}`)
      for (const character of CONTINUE + WHOLE) {
        socket.write(character)
        await pause(1)
      }
    })
    for (let time = 0; time < 3; time++) expect(await text()).toBe('tide')
    expect(server.accepted).toBe(1)
  })

  it('a file whose content looks like one is returned unchanged', async () => {
    const { text } = await answering(async (socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${CONTINUE.length}\r\n\r\n`)
      await pause(50)
      socket.write(CONTINUE)
    })
    expect(await text()).toBe(CONTINUE)
  })
})

describe('responses that do not match the request (threat 83)', () => {
  const PART = 'HTTP/1.1 206 Partial Content\r\ncontent-range: bytes 0-3/8\r\ncontent-length: 4\r\n\r\ntide'
  const UNCHANGED = 'HTTP/1.1 304 Not Modified\r\n\r\n'
  const OUTSIDE = 'HTTP/1.1 416 Range Not Satisfiable\r\ncontent-length: 0\r\n\r\n'
  const range = { range: 'bytes=0-3' }

  it.each<[string, string, OpenRequest['headers'], number]>([
    ['a part', PART, range, 206],
    ['that nothing has changed', UNCHANGED, { 'if-none-match': '"a"' }, 304],
    ['that there is no such part', OUTSIDE, range, 416],
  ])('control: %s is accepted if requested', async (_what, answer, headers, status) => {
    const { open } = await answering((socket) => socket.write(answer))
    const opened = await open(headers)
    expect(opened.status).toBe(status)
    opened.body.resume()
  })

  it.each<[string, string, OpenRequest['headers']]>([
    ['a part', PART, {}],
    ['that nothing has changed', UNCHANGED, range],
    ['that there is no such part', OUTSIDE, { 'if-none-match': '"a"' }],
    ['a part that is not as long as its range', PART.replace('0-3/8', '0-4/8'), range],
    ['a part that ends before it begins', PART.replace('0-3/8', '4-0/8'), range],
    ['a part of nobody knows what', PART.replace('content-range: bytes 0-3/8\r\n', ''), range],
    [
      'several parts',
      PART.replace('content-range: bytes 0-3/8', 'content-type: multipart/byteranges; boundary=a'),
      range,
    ],
  ])('%s is rejected if not requested', async (_what, answer, headers) => {
    const { open } = await answering((socket) => socket.write(answer))
    await expect(open(headers)).rejects.toMatchObject({ code: 'STORAGE_REFUSED' })
  })
})
