import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { type DevProcess, spawnDev } from './local-dev.js'

/** The built command: the first argument. */
const PROGRAM = resolve(process.argv[2] ?? 'dist/cli.js')

/**
 * Publishes, finds, buys and downloads a file of 5 MB, and shows that another account is refused. Each command is printed and run.
 */
async function tour(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-demo-'))
  // keeps the user's own folders and other local networks out of the tour
  const environment = { XDG_CONFIG_HOME: folder, XDG_STATE_HOME: folder, XDG_RUNTIME_DIR: '' }
  const file = randomBytes(5 * 1024 * 1024)
  const storage = await serve(file)
  let dev: DevProcess | undefined
  const tidegate = (...args: string[]) => command(args, folder, environment)
  try {
    say('A local chain with the contracts, and the service on it:', 'tidegate dev')
    dev = await spawnDev([], environment, [PROGRAM])
    const { providerUrl, accounts } = dev.facts
    console.log(`provider ${providerUrl}\n`)
    const buyer = accounts[2]?.address as string
    const url = `http://127.0.0.1:${(storage.address() as AddressInfo).port}/tides.bin`

    console.log('Account 1 sells a file. Its location is encrypted, and only account 2 may buy it:')
    const terms = ['--license', 'CC-BY-4.0', '--tag', 'tides', '--price', '5', '--timeout', '30d', '--allow', buyer]
    const did = (await tidegate('publish', url, '--name', 'Tide tables', ...terms, '--account', '1', '--yes')).trim()

    console.log('Everybody can find the asset and read its description:')
    await tidegate('search', 'tide')
    await tidegate('show', did)

    console.log('Account 2 asks for the whole price, buys the asset and downloads the file:')
    await tidegate('quote', did, '--account', '2')
    await tidegate('buy', did, '--account', '2', '--yes')
    await tidegate('get', did, '--output', 'tides.bin', '--sha256', sha256(file), '--account', '2')
    if (!readFileSync(join(folder, 'tides.bin')).equals(file)) throw new Error('The bytes differ.')
    console.log('The downloaded bytes equal the published file.\n')

    console.log('Account 3 is refused, and pays nothing:')
    await tidegate('get', did, '--output', 'stolen.bin', '--account', '3', '--yes').then(
      () => Promise.reject(new Error('Account 3 got the file.')),
      (error: Error) => {
        if (!(error instanceof Refused)) throw error
      },
    )
  } finally {
    await dev?.stop()
    storage.close()
    storage.closeAllConnections()
    rmSync(folder, { recursive: true })
  }
  console.log('Everything is stopped and removed. Run `npm run dev` for a network of your own.')
}

class Refused extends Error {}

/** Runs `tidegate` as the shell would, shows its output, and returns it. Throws Refused if it exits with 1. */
async function command(args: string[], cwd: string, environment: Record<string, string>): Promise<string> {
  console.log(`$ tidegate ${args.map(quoted).join(' ')}`)
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const output = await text(child.stdout)
  const [code] = await ended
  console.log(output)
  if (code === 1) throw new Refused()
  if (code !== 0) throw new Error(`tidegate ${args[0]} ended with ${code}.`)
  return output
}

function say(what: string, typed: string): void {
  console.log(`${what}\n$ ${typed}`)
}

const quoted = (word: string) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `"${word}"`)

function serve(file: Buffer): Promise<Server> {
  const server = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': file.length })
    response.end(request.method === 'HEAD' ? undefined : file)
  })
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)))
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

await tour().catch((error: Error) => {
  console.error(`The demo failed: ${error.message}`)
  process.exitCode = 1
})
