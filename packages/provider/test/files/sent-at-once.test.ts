import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { FastifyReply } from 'fastify'
import { expect, it } from 'vitest'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { seeded } from '../../../../test/helpers/recorded-disk.js'
import { BufferPool, FileBody } from '../../../storage/src/file-body.js'
import { pump } from '../../src/http/files/pump.js'

it('a file on disk reaches every client unmixed, while others take nothing for a while or leave in the middle', async () => {
  const folder = newFolder()
  const random = seeded(7)
  // more than the buffers of both ends of a connection hold
  const size = 16_000_000
  const pool = new BufferPool(65_536, 4)
  // no two places are alike
  const contents = [1, 2, 3].map((number) =>
    Buffer.from(Uint32Array.from({ length: size / 4 }, (_, at) => number * 0x1000000 + at).buffer),
  )
  const paths = contents.map((content, at) => {
    const path = join(folder, `number-${at}`)
    writeFileSync(path, content)
    return path
  })
  const responses: ServerResponse[] = []
  const bodies: FileBody[] = []
  const server = createServer(async (request, raw) => {
    responses.push(raw)
    const body = new FileBody(await open(paths[Number(request.url?.slice(1))] as string), 0, size - 1, pool)
    bodies.push(body)
    raw.writeHead(200, { 'content-length': size })
    const lifetime = { onEnd: (done: () => void) => raw.once('close', done) }
    const opened = { status: 200 as const, headers: { 'content-length': String(size) }, body }
    pump(opened, { raw, request: { lifetime } } as unknown as FastifyReply)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const client = async (number: number, until = size, after?: Promise<unknown>) => {
    const asked = get({ port, host: '127.0.0.1', path: `/${number}`, agent: false })
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    await after
    let [received, wrong] = [0, 0]
    for await (const chunk of answer) {
      if (!chunk.equals((contents[number] as Buffer).subarray(received, received + chunk.length))) wrong += 1
      received += chunk.length
      if (received >= until) break
    }
    expect(wrong).toBe(0)
    return received
  }
  for (let round = 0; round < 3; round++) {
    responses.length = 0
    let resume = () => {}
    const resumed = new Promise<void>((resolve) => {
      resume = resolve
    })
    const slow = [client(0, size, resumed), client(2, size, resumed)]
    let looks = 0
    await eventually(() => {
      looks = responses.filter(({ writableNeedDrain }) => writableNeedDrain).length === 2 ? looks + 1 : 0
      return looks === 3
    })
    await Promise.all([client(1), client(0, random() * size), client(2)])
    resume()
    expect(await Promise.all(slow)).toEqual([size, size])
  }
  server.closeAllConnections()
  server.close()
  await eventually(() => bodies.every((body) => body.closed))
})
