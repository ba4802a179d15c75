import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from './helpers/built.js'
import { newFolder } from './helpers/cleanup.js'

/** npm itself, in a small project whose packages are archives beside it. */
describe('scripts/ensure-installed.mjs', () => {
  const folder = newFolder()
  const project = join(folder, 'project')
  const asked = join(folder, 'asked')
  const own = Object.entries(process.env).filter(([name]) => !/^npm_|^INIT_CWD$/i.test(name))
  const env = { ...Object.fromEntries(own), npm_config_cache: join(folder, 'cache'), npm_config_offline: 'true' }
  const write = (path: string, manifest: object) => {
    mkdirSync(join(folder, path), { recursive: true })
    writeFileSync(join(folder, path, 'package.json'), JSON.stringify({ version: '1.0.0', ...manifest }))
  }
  const npm = (cwd: string, ...args: string[]) => execFileSync('npm', args, { cwd, env, stdio: 'pipe' })
  const installed = () =>
    ['builds', 'runs', 'sells', 'shows', 'tests'].filter((name) =>
      existsSync(join(project, 'node_modules', name, 'package.json')),
    )

  beforeAll(() => {
    const archive = (name: string, from = '..') => ({ [name]: `file:${from}/${name}-1.0.0.tgz` })
    for (const name of ['builds', 'runs', 'sells', 'shows', 'tests']) write(name, { name })
    npm(folder, 'pack', './builds', './runs', './sells', './shows', './tests')
    write('project', {
      name: 'root',
      workspaces: ['packages/client', 'packages/console', 'scripts', 'test'],
      devDependencies: archive('runs'),
    })
    write('project/packages/client', { name: 'client', dependencies: archive('sells', '../../..') })
    write('project/packages/console', { name: 'page', devDependencies: archive('shows', '../../..') })
    write('project/scripts', { name: 'of-builds', devDependencies: archive('builds', '../..') })
    write('project/test', { name: 'of-tests', devDependencies: archive('tests', '../..') })
    npm(project, 'install', '--package-lock-only')
    for (const file of ['scripts/ensure-installed.mjs', 'scripts/build/packages.mjs'])
      cpSync(join(ROOT, file), join(project, file), { recursive: true })
  })

  const ensure = (args: string[], path = '') => {
    const PATH = path + delimiter + process.env.PATH
    const told = spawnSync(process.execPath, [join(project, 'scripts/ensure-installed.mjs'), ...args], {
      env: { ...env, PATH },
      encoding: 'utf8',
    })
    return told.status
  }

  /** The same where npm does this instead. Answers the exit code, and what npm was asked for. */
  function ensureWith(npmDoes: string, ...args: string[]) {
    const path = join(folder, 'bin')
    mkdirSync(path, { recursive: true })
    writeFileSync(asked, '')
    writeFileSync(join(path, 'npm'), `#!/bin/sh\necho "$@" >> ${asked}\n${npmDoes}\n`)
    chmodSync(join(path, 'npm'), 0o755)
    return { code: ensure(args, path), npm: readFileSync(asked, 'utf8').trim() }
  }
  const nothing = { code: 0, npm: '' }

  it('installs what the service needs without what tests, builds and the console need, once', () => {
    expect(ensure(['service'])).toBe(0)
    expect(installed()).toEqual(['runs', 'sells'])
    expect(ensureWith('exit 1', 'service')).toEqual(nothing)
  })

  it('adds what the console and a build need, which the demo keeps', () => {
    const { npm: said } = ensureWith('exit 1', 'service', 'packages/console')
    expect(said).toBe(
      'ci --no-progress --include-workspace-root --workspace=packages/client --workspace=packages/console',
    )
    const build = ['service', 'packages/console', 'scripts']
    expect(ensure(build)).toBe(0)
    expect(installed()).toEqual(['builds', 'runs', 'sells', 'shows'])
    for (const args of [['service'], ['service', 'packages/console'], build])
      expect(ensureWith('exit 1', ...args)).toEqual(nothing)
  })

  it('goes from there to everything, even when interrupted in the middle', () => {
    const interrupted = ensureWith('rm -r node_modules/runs; kill -9 $$')
    expect(interrupted).toEqual({ code: 1, npm: 'ci --no-progress' })
    expect(installed()).toEqual(['builds', 'sells', 'shows'])
    // what has been removed is missed, on either level
    expect(ensureWith('exit 7', 'service').code).toBe(7)
    expect(ensure([])).toBe(0)
    expect(installed()).toEqual(['builds', 'runs', 'sells', 'shows', 'tests'])
    for (const args of [[], ['service']]) expect(ensureWith('exit 1', ...args)).toEqual(nothing)
  })

  it('installs again when the lockfile has changed, for those whom it concerns', () => {
    const lock = readFileSync(join(project, 'package-lock.json'), 'utf8')
    const { packages, ...rest } = JSON.parse(lock)
    packages['node_modules/tests'].version = '1.0.1'
    writeFileSync(join(project, 'package-lock.json'), JSON.stringify({ ...rest, packages }))
    expect(ensureWith('exit 1', 'service')).toEqual(nothing)
    expect(ensureWith('exit 1')).toEqual({ code: 1, npm: 'ci --no-progress' })
  })

  it('asks for nothing of a workspace that is not there', () => {
    rmSync(join(project, 'node_modules'), { recursive: true })
    rmSync(join(project, 'test'), { recursive: true })
    const { npm: said } = ensureWith('exit 1', 'service')
    expect(said).toBe('ci --no-progress --include-workspace-root --workspace=packages/client')
  })
})
