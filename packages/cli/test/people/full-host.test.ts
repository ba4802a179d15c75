import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCommand } from '../../../../test/helpers/command.js'
import { type Home, makeHome } from '../../../../test/helpers/terminal.js'
import { World } from '../../../../test/helpers/world.js'

const UPLOADS = '/api/services/uploads'
const FULL = { error: 'The storage of hosted files is full.', code: 'HOSTING_FULL' }

describe('tidegate publish at a full host', () => {
  let world: World
  let home: Home
  let host: Server
  /** Method that the host refuses with 507, and the methods of all requests about uploads. */
  let refused: string | undefined
  let methods: string[] = []
  beforeAll(async () => {
    world = await World.start({ HOSTING_QUOTA: '4000000' })
    home = makeHome()
    host = createServer((received, response) => {
      const { method, url = '', headers } = received
      const isUpload = url.startsWith(UPLOADS)
      if (isUpload) methods.push(method as string)
      if (isUpload && method === refused)
        return void received.resume().once('end', () => {
          response.writeHead(507, { 'content-type': 'application/json' }).end(JSON.stringify(FULL))
        })
      const passed = request(new URL(url, world.network.providerUrl), { method, headers }, (answer) => {
        response.writeHead(answer.statusCode as number, answer.headers)
        answer.pipe(response)
      })
      received.pipe(passed)
    }).listen(0, '127.0.0.1')
    await once(host, 'listening')
  })
  afterAll(async () => {
    host.close()
    await world.close()
    home.remove()
  })

  async function publish(name: string, method?: string) {
    refused = method
    methods = []
    const path = join(home.folder, name)
    writeFileSync(path, randomBytes(3_000_000))
    const here = {
      TIDEGATE_PROVIDER: `http://127.0.0.1:${(host.address() as AddressInfo).port}`,
      TIDEGATE_RPC: world.network.rpcUrl,
      XDG_STATE_HOME: join(home.folder, 'state'),
    }
    const args = ['publish', path, '--name', 'Tides', '--free', '--account', '1', '--yes', '--json']
    const { status, stdout } = await runCommand(args, { ...home.environment, ...here })
    return { status, error: JSON.parse(stdout).error, methods }
  }
  const refusal = (code: string, message: RegExp) => ({ code, message: expect.stringMatching(message) })

  it('ends at the first refusal of the upload, with the reason', async () => {
    const reason = refusal('HOSTING_FULL', /a\.csv: The storage of hosted files is full\.$/)
    expect(await publish('a.csv', 'POST')).toMatchObject({ status: 1, error: reason, methods: ['POST'] })
  })

  it('ends at the first refusal of a part, and at a used quota', async () => {
    const reason = refusal('HOSTING_FULL', /b\.csv: The storage of hosted files is full\.$/)
    expect(await publish('b.csv', 'PATCH')).toMatchObject({ status: 1, error: reason, methods: ['POST', 'PATCH'] })
    // the begun upload takes up the quota
    const used = refusal('UPLOAD_QUOTA', /c\.csv: .*this publisher has/)
    expect(await publish('c.csv')).toMatchObject({ status: 1, error: used, methods: ['POST'] })
  })
})
