import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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

/** Destinations of downloads, and refusals before payment. */
describe('get', () => {
  let world: World
  let home: Home
  let sized: string
  let unsized: string
  beforeAll(async () => {
    world = await World.start({ HOSTING: 'off' })
    home = makeHome()
    sized = await published(world.storage.file('/tides.csv', CONTENT))
    // without a known size, nothing shows whether there is room for it
    unsized = await published(
      world.storage.on('/unsized.csv', (_, response) => void response.writeHead(200).end(CONTENT)),
    )
  })
  afterAll(async () => {
    await world.close()
    home.remove()
  })

  const at = (name: string) => join(home.folder, name)
  const environment = () => ({
    ...home.environment,
    TIDEGATE_PROVIDER: world.network.providerUrl,
    TIDEGATE_RPC: world.network.rpcUrl,
  })
  const run = (...args: string[]) => runHere([...args, '--yes'], environment())
  const answer = async (...args: string[]) => JSON.parse((await runHere([...args, '--json'], environment())).stdout)
  const published = async (...files: string[]) =>
    (await answer('publish', ...files, '--name', 'Tides', '--price', '1', '--account', '1', '--yes')).did as string
  const ordersOf = async (account: number) => (await answer('orders', '--account', `${account}`)).orders as object[]
  const errors = (told: string) => told.split('\n').filter((line) => line.startsWith('tidegate: '))

  it('gives each file of an order a name that no file system confuses with another', async () => {
    const names = ['Tides.csv', 'tides.csv', 'é.csv', 'é.csv', 'TIDES.CSV', '1-tides.csv', 'straße.csv', 'STRASSE.csv']
    const contents = names.map((_, file) => Buffer.alloc(10, `${file}`))
    const urls = names.map((name, file) =>
      world.storage.file(`/${file}/${encodeURIComponent(name)}`, contents[file] as Buffer),
    )
    const did = await published(...urls)
    mkdirSync(at('all'))
    const kept = ['Tides.csv', '1-tides.csv', 'é.csv', '3-é.csv', '4-TIDES.CSV', '5-1-tides.csv', 'straße.csv']
    const asKept = [...kept, '7-STRASSE.csv']
    for (const more of [[], ['--force']]) {
      const { files } = await answer('get', did, '--all', '-o', at('all'), '--account', '2', '--yes', ...more)
      expect(files.map(({ path }: { path: string }) => path.split('/').at(-1))).toEqual(asKept)
      for (const [file, name] of asKept.entries()) expect(readFileSync(join(at('all'), name))).toEqual(contents[file])
      // each is found again, and none is written twice
      const again = await answer('get', did, '--all', '-o', at('all'), '--account', '2', '--yes')
      expect([again.files, again.present]).toEqual([[], asKept.length])
      expect(readdirSync(at('all')).sort()).toEqual(['.tidegate.jsonl', ...asKept].sort())
    }
  })

  it('makes a missing folder with a slash at its end, after the purchase is confirmed', async () => {
    const folder = `${at('new/tides')}/`
    const unconfirmed = await runHere(['get', sized, '-o', folder, '--account', '6'], environment())
    expect([unconfirmed.status, existsSync(at('new'))]).toEqual([3, false])
    expect(await run('get', sized, '-o', folder, '--account', '6')).toMatchObject({ status: 0 })
    expect(readFileSync(at('new/tides/tides.csv')).equals(CONTENT)).toBe(true)
    expect(await run('get', sized, '--all', '-o', `${at('all-new')}/`, '--account', '6')).toMatchObject({ status: 0 })
    expect(readdirSync(at('all-new'))).toEqual(['.tidegate.jsonl', 'tides.csv'])
    // several files can only mean a folder
    expect(await run('get', sized, '--all', '-o', at('dl/rl'), '--account', '6')).toMatchObject({ status: 0 })
    expect(readdirSync(at('dl/rl'))).toEqual(['.tidegate.jsonl', 'tides.csv'])
    writeFileSync(at('file'), '')
    for (const [output, reason] of [
      [`${at('file')}/`, 'is no folder'],
      [`${at('file/below')}/`, 'a file is in the way'],
    ] as const) {
      const { status, stderr } = await run('get', sized, '-o', output, '--account', '6')
      expect({ status, lines: errors(stderr) }).toEqual({ status: 2, lines: [expect.stringContaining(reason)] })
    }
    const file = await run('get', sized, '--all', '-o', at('file'), '--account', '6')
    expect([file.status, errors(file.stderr)]).toEqual([2, ['tidegate: --output: several files need a folder.']])
  })

  it('pays nothing if no file can be created, whether or not the name is known', async () => {
    const folder = at('closed')
    mkdirSync(folder)
    chmodSync(folder, 0o500)
    const closed = isRoot ? [] : [`${folder}/`]
    for (const output of ['/proc/', '/proc/x', '/proc/x/', '/proc/x/y/', '/sys/', '/proc/self/', ...closed])
      for (const did of [sized, unsized]) {
        const { status, stderr } = await run('get', did, '-o', output, '--account', '3')
        expect({ status, lines: errors(stderr) }, stderr).toEqual({
          status: 1,
          lines: [expect.stringMatching(/^tidegate: .*(may not be written to|cannot be written to|no such folder)/)],
        })
      }
    expect(await ordersOf(3)).toEqual([])
    // control: it can be bought elsewhere
    expect(await run('get', sized, '-o', `${home.folder}/`, '--account', '3')).toMatchObject({ status: 0 })
  })

  const canMount = isRoot && spawnSync('mount', ['--version']).status === 0
  if (canMount)
    it('pays nothing on a full disk, and later resumes with the named order', async () => {
      const disk = at('disk')
      mkdirSync(disk)
      const size = (bytes: number, ...more: string[]) =>
        spawnSync('mount', [
          ...more,
          '-t',
          'tmpfs',
          '-o',
          `${more.length > 0 ? 'remount,' : ''}size=${bytes}`,
          'tmpfs',
          disk,
        ])
      if (size(704_512).status !== 0) return console.warn('SKIPPED: a full disk. None can be mounted here.')
      try {
        writeFileSync(join(disk, 'other'), Buffer.alloc(400_000))
        const small = await run('get', sized, '-o', `${disk}/`, '--account', '4')
        expect(errors(small.stderr)).toEqual([expect.stringMatching(/left, and 585 KiB are to be written\.$/)])
        writeFileSync(join(disk, 'all'), Buffer.alloc(302_000))
        for (const output of [`${disk}/`, join(disk, 'x')]) {
          const full = await run('get', unsized, '-o', output, '--account', '4')
          expect(errors(full.stderr), full.stderr).toEqual([expect.stringMatching(/0 B left|is full/)])
        }
        expect(await ordersOf(4)).toEqual([])
        rmSync(join(disk, 'all'))
        // only the download shows that there is no room
        const broken = await run('get', unsized, '-o', join(disk, 'x'), '--account', '4')
        const [{ tx }] = (await ordersOf(4)) as [{ tx: string }]
        expect(errors(broken.stderr)[0]).toMatch(
          `To use order ${tx} without another payment, run: tidegate get ${unsized}`,
        )
        const again = await run('get', unsized, '-o', join(disk, 'x'), '--account', '4')
        expect(errors(again.stderr), again.stderr).toEqual([
          expect.stringContaining(`To use order ${tx} without another payment`),
        ])
        rmSync(join(disk, 'other'))
        // 400 kB are free, and the rest of the file takes 300
        writeFileSync(join(disk, 'other'), Buffer.alloc(50_000))
        expect(await run('get', unsized, '-o', join(disk, 'x'), '--account', '4')).toMatchObject({ status: 0 })
        expect(readFileSync(join(disk, 'x')).equals(CONTENT)).toBe(true)
      } finally {
        spawnSync('umount', [disk])
      }
    })

  it('pays nothing for an unwritable device or descriptor, and names an existing order', async () => {
    const shell = async (command: string[], rest: string) => {
      const env = { PATH: process.env.PATH as string, ...environment() }
      const args = [process.execPath, ...program(), ...command, '--account', '5', '--yes']
      const child = owned(spawn('bash', ['-c', `"$0" "$@" ${rest}`, ...args], { env }))
      const ended = new Promise((resolve) => child.once('close', resolve))
      child.stdout.resume()
      return { errors: errors(await text(child.stderr)), status: await ended }
    }
    const here = async (command: string[]) => {
      const { status, stderr } = await run(...command, '--account', '5')
      return { status, errors: errors(stderr) }
    }
    const cases: [string[], string?][] = [
      [['get', sized, '-o', '/dev/full']],
      [['get', sized, '-o', '-'], '> /dev/full'],
      [['get', sized, '-o', '/dev/fd/9'], '9< /dev/null'],
      [['get', sized, '-o', at('kept.csv')], '> /dev/full'],
      [['buy', sized, '--json'], '> /dev/full'],
    ]
    for (const [command, rest] of cases) {
      const { status, errors } = await (rest ? shell(command, rest) : here(command))
      // reports that the JSON of the error cannot be written, too
      const told = command.includes('--json') ? errors.slice(0, 1) : errors
      expect({ status, errors: told }, `${command} ${rest}`).toEqual({
        status: 1,
        errors: [expect.stringMatching(/^tidegate: .*(no space is left|not open for writing|cannot be written)/)],
      })
    }
    expect(await ordersOf(5)).toEqual([])
    expect(await run('buy', sized, '--account', '5')).toMatchObject({ status: 0 })
    const [{ tx }] = (await ordersOf(5)) as [{ tx: string }]
    // a full device with an order: planted-files.test.ts
    expect((await shell(['get', sized, '-o', '/dev/fd/9'], '9< /dev/null')).errors).toEqual([
      expect.stringContaining(`To use order ${tx} without another payment, run: tidegate get ${sized} -o ANOTHER-NAME`),
    ])
  })
})
