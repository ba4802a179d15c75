import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { owned } from '../../../../test/helpers/children.js'
import { program } from '../../../../test/helpers/command.js'
import { runHere } from '../../../../test/helpers/command-here.js'
import { type Home, makeHome } from '../../../../test/helpers/terminal.js'
import { World } from '../../../../test/helpers/world.js'

const isRoot = process.geteuid?.() === 0
const CONTENT = Buffer.from('hour,height\n'.repeat(50_000))

/** Ways in which `get` fails after it has paid. */
describe('get names the order that it has just bought', () => {
  let world: World
  let home: Home
  let disk: string
  let whole: string
  let broken: string
  let endless: string
  beforeAll(async () => {
    world = await World.start({ HOSTING: 'off' })
    home = makeHome()
    disk = join(home.folder, 'disk')
    mkdirSync(disk)
    const published = async (url: string) => {
      const args = ['publish', url, '--name', 'Tides', '--price', '1', '--account', '1', '--yes']
      return (await runHere(args, environment())).stdout.trim()
    }
    // without a known size, nothing shows whether there is room for it
    whole = await published(world.storage.on('/whole.csv', (_, response) => void response.writeHead(200).end(CONTENT)))
    broken = await published(
      world.storage.on('/broken.csv', (request, response) => {
        response.writeHead(200, { 'content-type': 'text/csv' }).write(CONTENT)
        if (request.method === 'GET') setImmediate(() => request.socket.destroy())
        else response.end()
      }),
    )
    endless = await published(
      world.storage.on('/endless.csv', ({ method }, response) => {
        response.writeHead(200, { 'content-type': 'text/csv' })
        if (method === 'HEAD') response.end()
        else response.write(CONTENT)
      }),
    )
  })
  afterAll(async () => {
    spawnSync('umount', [disk])
    await world.close()
    home.remove()
  })

  const environment = () => ({
    ...home.environment,
    TIDEGATE_PROVIDER: world.network.providerUrl,
    TIDEGATE_RPC: world.network.rpcUrl,
  })
  const ordersOf = async (account: number) =>
    JSON.parse((await runHere(['orders', '--account', `${account}`, '--json'], environment())).stdout).orders as {
      tx: string
    }[]

  /** Runs `get` in a shell, with a continuation of its line. */
  function shell(did: string, account: number, rest: string) {
    const args = [process.execPath, ...program(), 'get', did, '--account', `${account}`, '--yes']
    const env = { PATH: process.env.PATH as string, ...environment() }
    const child = owned(spawn('bash', ['-c', `set -o pipefail; exec 9>&1; "$0" "$@" ${rest}`, ...args], { env }))
    child.stdout.resume()
    return { child, stderr: text(child.stderr) }
  }

  it.runIf(isRoot).each([
    ['standard output is on a full disk', '-o - > disk/out', 2],
    ['a descriptor is on a full disk', '-o /dev/fd/7 --json 7> disk/out', 3],
    ['the result is written to a full disk', '-o whole.csv > disk/out', 4],
  ])('if %s', async (_, rest, account) => {
    expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk]).status).toBe(0)
    try {
      if (rest.includes('whole')) spawnSync('dd', ['if=/dev/zero', `of=${disk}/filled`, 'bs=4096'])
      const { stderr } = shell(
        whole,
        account,
        rest.replaceAll(' whole', ` ${home.folder}/whole`).replace('disk/', `${disk}/`),
      )
      const told = await stderr
      const [order] = await ordersOf(account)
      expect(told).toContain(`Order ${order?.tx}`)
      expect(told).toMatch(/^tidegate: .*no space is left/m)
    } finally {
      spawnSync('umount', [disk])
    }
  })

  it('if the reader leaves, the storage breaks, or the digest differs', async () => {
    const here = async (did: string, account: number, ...args: string[]) =>
      (await runHere(['get', did, '--account', `${account}`, '--yes', ...args], environment())).stderr
    for (const [account, failed] of [
      [6, shell(whole, 6, '-o - | true').stderr],
      [7, here(broken, 7, '-o', join(home.folder, 'broken.csv'))],
      [8, here(whole, 8, '-o', join(home.folder, 'other.csv'), '--sha256', '0'.repeat(64))],
    ] as const) {
      const told = await failed
      const [order] = await ordersOf(account)
      expect(order, told).toBeDefined()
      expect(told, `${account}`).toContain(`Order ${order?.tx}`)
    }
  })

  it('if a signal ends it', async () => {
    const { child, stderr } = shell(endless, 9, `-o ${home.folder}/endless.csv & echo $! >&2; wait`)
    let told = ''
    child.stderr.on('data', (part) => {
      told += part
      const [pid] = told.match(/^\d+$/m) ?? []
      if (pid && /^Order 0x/m.test(told)) process.kill(Number(pid), 'SIGTERM')
    })
    await stderr
    const [order] = await ordersOf(9)
    expect(told).toContain(`Order ${order?.tx}`)
  })
})
