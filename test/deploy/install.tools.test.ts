import { execFileSync, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { installedPackages } from '../../scripts/build/packages.mjs'
import { eventually } from '../helpers/eventually.js'
import { type Instance, startInstance } from '../helpers/instance.js'
import { packedService } from '../helpers/packed.js'
import { page, REPOSITORY } from '../helpers/pages.js'
import { prepared } from '../helpers/prepared.js'
import { ask } from '../helpers/requests.js'
import { World } from '../helpers/world.js'

const read = (path: string) => readFileSync(REPOSITORY + path, 'utf8')
const lock = JSON.parse(read('package-lock.json'))
const dockerfile = read('Dockerfile').replaceAll('\\\n', ' ')
const [buildStage = '', packageStage = '', runStage = ''] = dockerfile.split(/^FROM .+$/m).slice(1)
/** The lines of a stage that begin with an instruction, without it. */
const lines = (stage: string, instruction: string) =>
  [...stage.matchAll(new RegExp(`^${instruction} (.+)$`, 'gm'))].map(([, rest]) => rest as string)

/** Makes a folder with hard links to the files of another, apart from those that are there. */
function linked(from: string, to: string): void {
  mkdirSync(to, { recursive: true })
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) linked(source, target)
    else if (!existsSync(target)) linkSync(source, target)
  }
}

/** The steps of the Dockerfile and of the pages, each in a clean folder, with packages of this checkout. */
describe('installing', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-test-'))
  const checkout = join(folder, 'checkout')
  let world: World
  const instances: Instance[] = []

  beforeAll(async () => {
    world = await World.start()
    // COPY . ., npm ci and npm run build: done for this test run
    linked(prepared('checkout') as string, checkout)
    linked(prepared('build', 'dist') as string, join(checkout, 'dist'))
  })
  afterAll(async () => {
    await Promise.all(instances.map((instance) => instance.end()))
    await world.close()
    rmSync(folder, { recursive: true })
  })

  /** What `npm ci --omit=dev` installs in a folder that has the manifest and no workspaces. */
  function productionPackages(target: string): void {
    // copied once: three times they are hundreds of megabytes
    const copy = join(folder, 'production')
    const isCopied = existsSync(copy)
    for (const path of installedPackages(lock).filter((one) => existsSync(REPOSITORY + one))) {
      if (!isCopied) cpSync(REPOSITORY + path, join(copy, path), { recursive: true })
      linked(join(copy, path), join(target, path))
    }
  }

  const start = async (environment: Record<string, string>, program: string, args: string[] = []) => {
    const instance = await startInstance(environment, [program], { args })
    instances.push(instance)
    await eventually(async () => (await ask(`${instance.url}/ready`)).status === 200)
    return instance
  }

  it('by the Dockerfile makes an image that starts with nothing but what it copies, and is healthy', async () => {
    const manifests = [buildStage, packageStage].map((stage) => lines(stage, 'COPY')[0])
    expect(manifests).toEqual(Array(2).fill('package.json package-lock.json .npmrc ./'))
    for (const copied of [...buildStage.matchAll(/^COPY (.+) \S+$/gm)].flatMap(([, files = '']) => files.split(' ')))
      expect(existsSync(join(checkout, copied)), copied).toBe(true)
    expect(lines(buildStage, 'RUN')).toEqual(['npm ci', 'npm run build'])
    const [install, ...after] = lines(packageStage, 'RUN').flatMap((line) => line.split(' && '))
    expect(install).toBe('npm ci --omit=dev')
    const packages = join(folder, 'packages')
    mkdirSync(packages)
    productionPackages(packages)
    for (const command of after) execFileSync('sh', ['-c', command], { cwd: packages })

    const image = join(folder, 'image')
    mkdirSync(image)
    const stages: Record<string, string> = { build: checkout, packages }
    const copies = lines(runStage, 'COPY').map((line) => /^(?:--from=(\w+) \/\1\/)?(\S+) \.\/(\S*)$/.exec(line))
    expect(copies).toHaveLength(3)
    for (const [, stage = '', from = '', to] of copies as RegExpExecArray[])
      cpSync(join(stages[stage] ?? checkout, from), join(image, to || from), { recursive: true })
    expect(existsSync(join(image, 'node_modules/@foundry-rs'))).toBe(false)
    expect(existsSync(join(image, 'node_modules/viem'))).toBe(false)

    const [entry] = lines(runStage, 'ENTRYPOINT').map((line) => JSON.parse(line) as string[])
    expect([entry, ...lines(runStage, 'CMD').slice(-1)]).toEqual([['node', 'dist/cli.js'], '["start"]'])
    const state = { STATE_DIR: join(folder, 'image-state'), HOST: '0.0.0.0' }
    const instance = await start(world.beside(state), join(image, 'dist/cli.js'))
    const [, check = ''] = /CMD (\[.+\])$/m.exec(lines(runStage, 'HEALTHCHECK')[0] as string) ?? []
    const [, ...args] = JSON.parse(check) as string[]
    const environment = (port: string) => ({ PATH: process.env.PATH, PORT: port })
    const health = (port: string) => spawnSync(process.execPath, args, { cwd: image, env: environment(port) }).status
    expect(health(new URL(instance.url).port)).toBe(0)
    await instance.end()
    expect(health(new URL(instance.url).port)).toBe(1)
  })

  it('by the package of npm, in an empty folder, serves the console as well', async () => {
    const unpacked = join(folder, 'empty', 'package')
    linked(packedService(), unpacked)
    productionPackages(unpacked)
    const environment = world.beside({ STATE_DIR: join(folder, 'packed-state'), CONSOLE: 'true' })
    const { url } = await start(environment, join(unpacked, 'dist/cli.js'))
    const shown = await ask(`${url}/console/`)
    expect(shown.status).toBe(200)
    const parts = [...shown.text.matchAll(/(?:src|href)="(\/console\/[^"]+)"/g)].map(([, path]) => path as string)
    expect(parts.length).toBeGreaterThan(2)
    for (const path of parts) expect((await ask(url + path)).status, path).toBe(200)
    expect((await ask(`${url}/console/config.json`)).json.chains).toHaveLength(1)
  })

  it('with systemd, by the commands of the page, leaves what the unit starts', async () => {
    const { blocks } = page('docs/operations.md')
    const commands = blocks
      .filter(({ heading, language }) => heading === 'With systemd' && language === 'sh')
      .map(({ text }) => text)
      .join('')
    const root = join(folder, 'root')
    for (const path of ['opt', 'etc/systemd/system']) mkdirSync(join(root, path), { recursive: true })
    cpSync(`${REPOSITORY}deploy`, join(checkout, 'deploy'), { recursive: true })
    const replaced = commands.replaceAll(/ \/(opt|etc)\//g, ` ${root}/$1/`)
    const said = join(folder, 'said')
    // npm is replaced, since the packages and the build already exist
    const stand = `npm() { echo "npm $@" >> ${said}; }
      sudo() { "$@"; }
      systemctl() { echo "systemctl $@" >> ${said}; }
      curl() { :; }
    `
    execFileSync('bash', ['-euc', stand + replaced], { cwd: checkout, stdio: ['ignore', 'ignore', 'inherit'] })
    expect(readFileSync(said, 'utf8').trim().split('\n')).toEqual([
      'npm run build',
      `npm --prefix ${root}/opt/tidegate ci --omit=dev`,
      'systemctl daemon-reload',
      'systemctl enable --now tidegate',
    ])

    productionPackages(join(root, 'opt/tidegate'))
    const unit = readFileSync(join(root, 'etc/systemd/system/tidegate.service'), 'utf8')
    const credentials = [...unit.matchAll(/^LoadCredential=([\w.-]+):(\S+)$/gm)]
    for (const [, name = '', path = ''] of credentials) {
      expect(statSync(root + path).mode & 0o777, path).toBe(0o600)
      // as systemd passes it to the service
      cpSync(root + path, join(folder, name))
    }
    expect(credentials).toHaveLength(2)
    // the chain of this test instead of the example's, and random ports
    const changed = ['NETWORK_URL', 'ADDRESS_FILE', 'ALLOW_NON_PUBLIC_IP'].map(
      (name) => `${name}=${world.beside()[name]}`,
    )
    appendFileSync(join(folder, 'settings.env'), `${changed.join('\n')}\nMETRICS_PORT=0\n`)
    const [, program = '', options = ''] = /^ExecStart=\/usr\/bin\/node (\S+) start (.+)$/m.exec(unit) ?? []
    const [, key = ''] = /PROVIDER_PRIVATE_KEY_FILE=%d\/(\S+)$/m.exec(unit) ?? []
    const environment = { PROVIDER_PRIVATE_KEY_FILE: join(folder, key), STATE_DIR: join(folder, 'systemd-state') }
    const config = options.replace('%d', folder).split(' ')
    const checked = spawnSync(process.execPath, [root + program, 'config', ...config], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, ...environment },
    })
    expect(checked.stderr).toBe('')
    expect(checked.stdout).toContain('TRUSTED_PROXIES')
    await start(environment, root + program, config)

    // the function of the page, with systemd-run replaced: it passes credentials and arguments on
    const run = blocks.find(({ heading, language }) => heading === 'Run a command' && language === 'sh')?.text ?? ''
    for (const property of unit.matchAll(/^(LoadCredential=\S+|DynamicUser=yes|WorkingDirectory=\S+)$/gm))
      expect(run).toContain(`--property=${property[1]}`)
    const stands = `sudo() { "$@"; }
      systemd-run() {
        while [ "\${1#--}" != "$1" ]; do shift; done
        CREDENTIALS_DIRECTORY=${folder} "$@"
      }
    `
    const command = run
      .replace('/usr/bin/node', process.execPath)
      .replace(' /opt/', ` ${root}/opt/`)
      .replace(/\ntidegate doctor\n$/, '\ntidegate config\n')
    const ran = spawnSync('bash', ['--norc', '-euc', stands + command], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, STATE_DIR: environment.STATE_DIR },
    })
    expect(ran.stderr).toBe('')
    expect(ran.stdout).toBe(checked.stdout)
  })
})
