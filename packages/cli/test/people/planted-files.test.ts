import { execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { owned } from '../../../../test/helpers/children.js'
import { type Ended, program } from '../../../../test/helpers/command.js'
import { runHere } from '../../../../test/helpers/command-here.js'
import { startDevHere } from '../../../../test/helpers/dev.js'
import { type Home, makeHome } from '../../../../test/helpers/terminal.js'
import { World } from '../../../../test/helpers/world.js'

const CONTENT = Buffer.from('hour,height\n'.repeat(50_000))
const isRoot = process.geteuid?.() === 0
/** A user that is neither this one nor root. */
const ANOTHER = 65_534

let world: World
let home: Home
let did: string
beforeAll(async () => {
  world = await World.start({ HOSTING: 'off' })
  const own = makeHome()
  const url = world.storage.file('/tides.csv', CONTENT)
  const published = ['publish', url, '--name', 'Tides', '--price', '1', '--account', '1', '--yes', '--json']
  const { stdout } = await runHere(published, { ...own.environment, ...network() })
  did = JSON.parse(stdout).did
  own.remove()
})
afterAll(() => world.close())
beforeEach(() => {
  home = makeHome()
})
afterEach(() => home.remove())

const network = () => ({
  TIDEGATE_PROVIDER: world.network.providerUrl,
  TIDEGATE_RPC: world.network.rpcUrl,
})
const at = (name: string) => join(home.folder, name)
const environment = () => ({ ...home.environment, ...network() })
const get = (path: string, account: number, more: string[] = []) =>
  runHere(['get', did, '-o', path, '--account', `${account}`, '--yes', ...more], environment())
const ordersOf = async (account: number) =>
  JSON.parse((await runHere(['orders', '--account', `${account}`, '--json'], environment())).stdout).orders as {
    tx: string
  }[]
/** Runs `tidegate get` in a shell, with a continuation of its line. */
function shell(path: string, account: number, rest: string): Promise<Ended> {
  const args = [process.execPath, ...program(), 'get', did, '-o', path, '--account', `${account}`, '--yes']
  const env = { PATH: process.env.PATH as string, ...environment() }
  const child = owned(spawn('bash', ['-c', `set -o pipefail; "$0" "$@" ${rest}`, ...args], { env }))
  const ended = new Promise<number>((resolve) => child.once('close', (code) => resolve(code ?? -1)))
  return Promise.all([ended, text(child.stdout), text(child.stderr)]).then(([status, stdout, stderr]) => ({
    status,
    stdout,
    stderr,
  }))
}
function fifo(path: string): void {
  execFileSync('mkfifo', [path])
  // opens it at last if a command blocks this process, as it waits for the other end
  owned(spawn('bash', ['-c', 'read -t 100; [ -p "$0" ] && : <> "$0"', path]))
}
const lines = (told: string) => told.split('\n').filter((line) => line.startsWith('tidegate: '))

describe('files that another local user has planted', () => {
  const plants: [name: string, plant: (path: string) => void][] = [
    ['a link', (path) => symlinkSync(at('victim'), path)],
    ['a link that leads nowhere', (path) => symlinkSync(at('nowhere'), path)],
    ['a second name of a file', (path) => linkSync(at('victim'), path)],
    ['a FIFO', fifo],
    ['a folder', (path) => mkdirSync(path)],
  ]

  it('are neither followed nor waited for, and nothing is paid for an unwritable file (threat 98)', async () => {
    writeFileSync(at('victim'), 'mine')
    let paid = 0
    for (const suffix of ['.part', '.part.json', '.part.json.new', '.part.lock'])
      for (const [what, plant] of plants) {
        const [path, name] = [at('tides.csv'), `${what} as NAME${suffix}`]
        plant(path + suffix)
        const { status, stderr } = await get(path, 2)
        if (status === 0) {
          paid += 1
          expect(readFileSync(path).equals(CONTENT), name).toBe(true)
        } else {
          expect(lines(stderr), name).toHaveLength(1)
          expect(stderr, name).toMatch(/tides\.csv\.part(\.json|\.lock)? (is|has|belongs)|Another process works/)
          if (paid === 0) expect(await ordersOf(2), name).toEqual([])
        }
        // a download writes to these names itself
        if (suffix === '.part' || (suffix === '.part.json' && what === 'a folder')) expect(status, name).toBe(1)
        if (suffix === '.part.json.new') expect(status, name).toBe(0)
        expect(readFileSync(at('victim'), 'utf8'), name).toBe('mine')
        expect(existsSync(at('nowhere')), name).toBe(false)
        rmSync(path, { force: true })
        rmSync(path + suffix, { force: true, recursive: true })
      }
    expect(paid).toBeGreaterThan(5)
    expect(readdirSync(home.folder).filter((name) => name.startsWith('tides'))).toEqual([])
  })

  it('are neither a local network nor a provider (threat 98)', async () => {
    const folder = join(at('state'), 'tidegate')
    const note = join(folder, `dev-${process.pid}.json`)
    const { providerUrl, rpcUrl, chainId } = world.network
    const used = async () => {
      const { status, stdout, stderr } = await runHere(['use', '--json'], home.environment)
      return status === 0 ? JSON.parse(stdout).from : stderr
    }
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(note, JSON.stringify({ pid: process.pid, providerUrl, rpcUrl, chainId }), { mode: 0o600 })
    expect(await used()).toBe('dev')
    chmodSync(note, 0o666)
    expect(await used()).toMatch(/no provider is named/)
    chmodSync(note, 0o600)
    chmodSync(folder, 0o1777)
    expect(await used()).toMatch(/no provider is named/)
    chmodSync(folder, 0o700)
    rmSync(note)
    fifo(note)
    expect(await used()).toMatch(/no provider is named/)

    const kept = join(at('config'), 'tidegate', 'config.json')
    mkdirSync(dirname(kept), { recursive: true, mode: 0o700 })
    writeFileSync(kept, JSON.stringify({ provider: providerUrl }), { mode: 0o600 })
    expect(await used()).toBe('kept')
    chmodSync(kept, 0o666)
    expect(await used()).toMatch(/^tidegate: not used: .*config\.json may be written to by every user\.$/m)
    rmSync(kept)
    fifo(kept)
    expect(await used()).toMatch(/^tidegate: not used: .*config\.json is not a regular file\.$/m)
  })

  if (isRoot)
    it('are recognised by their owner, as only root can test (threat 98)', async () => {
      const kept = join(at('config'), 'tidegate', 'config.json')
      mkdirSync(dirname(kept), { recursive: true, mode: 0o700 })
      writeFileSync(kept, JSON.stringify({ provider: world.network.providerUrl }), { mode: 0o600 })
      chownSync(kept, ANOTHER, ANOTHER)
      expect(await runHere(['show', did], home.environment)).toMatchObject({
        status: 2,
        stderr: expect.stringMatching(/^tidegate: not used: .* belongs to another user\.$/m),
      })
      const shared = at('shared')
      mkdirSync(shared)
      chmodSync(shared, 0o1777)
      const path = join(shared, 'tides.csv')
      writeFileSync(`${path}.part`, '')
      chownSync(`${path}.part`, ANOTHER, ANOTHER)
      expect(await get(path, 3)).toMatchObject({
        status: 1,
        stderr: expect.stringContaining('belongs to another user'),
      })
      fifo(join(shared, 'fifo'))
      chownSync(join(shared, 'fifo'), ANOTHER, ANOTHER)
      expect(await get(join(shared, 'fifo'), 3)).toMatchObject({
        status: 1,
        stderr: expect.stringContaining('planted'),
      })
      mkdirSync(at('secret'))
      symlinkSync(at('secret'), join(shared, 'folder'))
      execFileSync('chown', ['-h', `${ANOTHER}`, join(shared, 'folder')])
      expect(await get(join(shared, 'folder'), 3)).toMatchObject({
        status: 1,
        stderr: expect.stringContaining('a link of another user'),
      })
      expect(readdirSync(at('secret'))).toEqual([])
      expect(await ordersOf(3)).toEqual([])
    })

  it('do not redirect keys and backups (threat 98)', async () => {
    writeFileSync(at('password'), 'a long password')
    symlinkSync(at('nowhere'), at('key.json'))
    const made = await runHere(
      ['keys', 'make', '--file', at('key.json'), '--password-file', at('password')],
      environment(),
    )
    expect(made).toMatchObject({ status: 2, stderr: expect.stringContaining('exists') })
    fifo(at('backup'))
    symlinkSync(at('nowhere'), at('dangling'))
    const settings = {
      ...home.environment,
      ...world.beside({ STATE_DIR: world.local.addressFile.replace(/\/[^/]+$/, '') }),
    }
    for (const target of [[at('backup'), '--force'], [at('dangling')]])
      expect(await runHere(['state', 'backup', ...target], settings)).toMatchObject({
        status: 2,
        stderr: expect.stringMatching(/^tidegate: .*(is a folder, device or pipe|exists)/),
      })
    expect(lstatSync(at('backup')).isFIFO()).toBe(true)
    expect(existsSync(at('nowhere'))).toBe(false)
    const backup = await runHere(['state', 'backup', at('good')], settings)
    expect(backup).toMatchObject({ status: 0, stderr: '' })
    expect(readdirSync(home.folder).filter((name) => name.startsWith('good'))).toEqual(['good'])
    expect(lstatSync(at('good')).mode & 0o777).toBe(0o600)
  })
})

describe('a local network', () => {
  it('keeps its state in no folder that every user may write to, and follows no link (threat 98)', async () => {
    const open = at('open')
    mkdirSync(open)
    chmodSync(open, 0o1777)
    const refused = await runHere(['dev', '--port', '0', '--rpc-port', '0', '--state', open], environment())
    expect(refused).toMatchObject({ status: 1, stderr: expect.stringMatching(/open may be written to by every user/) })
    expect(readdirSync(open)).toEqual([])
    const file = at('address.json')
    for (const name of [file, `${file}.new`]) symlinkSync(at('victim'), name)
    writeFileSync(at('victim'), 'mine')
    const { stop } = await startDevHere(['--address-file', file])
    await stop()
    expect(readFileSync(at('victim'), 'utf8')).toBe('mine')
    expect(JSON.parse(readFileSync(file, 'utf8'))).toHaveProperty('development')
  })
})

describe('get -o', () => {
  it('writes to a FIFO and a device as a stream, and replaces neither (threat 98)', async () => {
    fifo(at('pipe'))
    const reader = owned(spawn('cat', [at('pipe')]))
    const [read, ended] = await Promise.all([text(reader.stdout), get(at('pipe'), 4, ['--json'])])
    expect({ ...ended, same: read === CONTENT.toString() }).toMatchObject({ status: 0, same: true })
    expect(JSON.parse(ended.stdout)).toMatchObject({ bytes: CONTENT.length, bought: true })
    const [{ tx } = { tx: '' }] = await ordersOf(4)
    symlinkSync('/dev/null', at('null'))
    for (const more of [[], ['--force']]) expect(await get(at('null'), 4, more)).toMatchObject({ status: 0 })
    expect(lstatSync(at('pipe')).isFIFO()).toBe(true)
    expect(lstatSync('/dev/null').isCharacterDevice()).toBe(true)

    for (const full of [await get('/dev/full', 4), await shell('/dev/stdout', 4, '> /dev/full')]) {
      expect(lines(full.stderr), full.stderr).toHaveLength(1)
      expect(full).toMatchObject({ status: 1, stderr: expect.stringContaining('no space is left') })
      expect(full.stderr).toContain(
        `To use order ${tx} without another payment, run: tidegate get ${did} -o ANOTHER-NAME`,
      )
    }
    const head = owned(spawn('head', ['-c', '1', at('pipe')]))
    const [, gone] = await Promise.all([text(head.stdout), get(at('pipe'), 4)])
    expect(lines(gone.stderr), gone.stderr).toHaveLength(1)
    expect(gone).toMatchObject({ status: 1, stderr: expect.stringContaining('its reader has closed it') })
    expect(gone.stderr).toContain(tx)
    expect(readdirSync(home.folder).filter((name) => name.includes('.part'))).toEqual([])
  })

  it('writes to any kind of standard output, and ends quietly with its reader', async () => {
    for (const name of ['-', '/dev/fd/1']) {
      expect((await shell(name, 5, `> '${at('out')}'`)).status).toBe(0)
      expect(readFileSync(at('out')).equals(CONTENT), name).toBe(true)
    }
    expect(await shell('/dev/stdout', 5, '| head -c1')).toMatchObject({
      status: 0,
      stdout: 'h',
      stderr: expect.not.stringMatching(/tidegate:|Error/),
    })
  })

  it('follows no link to a file, and refuses before payment (threat 98)', async () => {
    writeFileSync(at('victim'), 'mine')
    symlinkSync(at('victim'), at('link'))
    symlinkSync(at('nowhere'), at('dangling'))
    symlinkSync(at('loop'), at('loop'))
    for (const [name, code] of [
      ['link', 'FILE_EXISTS'],
      ['dangling', 'FILE_EXISTS'],
      ['loop', 'USAGE'],
      ['n'.repeat(255), 'NAME_TOO_LONG'],
      ['n'.repeat(248), 'NAME_TOO_LONG'],
      ['n'.repeat(300), 'USAGE'],
    ] as const) {
      const { stdout, stderr } = await get(at(name), 6, ['--json'])
      expect(lines(stderr), name).toHaveLength(1)
      expect(JSON.parse(stdout), name).toMatchObject({ error: { code } })
    }
    expect(await ordersOf(6)).toEqual([])
    expect(existsSync(at('nowhere'))).toBe(false)
    expect(await get(at('link'), 6, ['--force'])).toMatchObject({ status: 0 })
    expect(lstatSync(at('link')).isFile()).toBe(true)
    expect(readFileSync(at('victim'), 'utf8')).toBe('mine')
    // a link of this user to a folder is that folder
    mkdirSync(at('data'))
    symlinkSync(at('data'), at('folder'))
    expect(await get(at('folder'), 6)).toMatchObject({ status: 0 })
    expect(readdirSync(at('data'))).toEqual(['tides.csv'])
  })
})
