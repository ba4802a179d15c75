import { execFile, execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { ROOT } from '../../../test/helpers/built.js'
import { newFolder } from '../../../test/helpers/cleanup.js'
import { prepared } from '../../../test/helpers/prepared.js'
import { World } from '../../../test/helpers/world.js'
import { README, runExamples } from './readme-examples.js'

/** npm's codes for a registry that cannot be reached. */
const UNREACHABLE =
  /npm error (code|type) (E?(NOTFOUND|AI_AGAIN|CONN\w+|HOSTUNREACH|NETUNREACH|\w*TIMEDOUT|\w*TIMEOUT))/

it('the examples of the README compile strictly and run after its installation in an empty folder, with one viem, the newest', async (test) => {
  const folder = newFolder()
  const [own, packing] = [join(folder, 'newest'), join(folder, 'packing')]
  mkdirSync(own)
  for (const file of ['package.json', 'README.md', 'LICENSE'])
    cpSync(join(ROOT, 'packages', 'client', file), join(packing, file))
  const dist = prepared('checkout', 'packages', 'client', 'dist') as string
  cpSync(dist, join(packing, 'dist'), { recursive: true })
  const packed = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]
  const [{ filename }] = JSON.parse(execFileSync('npm', packed, { cwd: packing, encoding: 'utf8' }))
  const [, command = ''] = /```sh\n(npm install .*)\n```/.exec(README) ?? []
  const [, ...args] = command.replace('@tidegate/client', join(folder, filename)).split(' ')
  const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--fetch-retries=1', '--loglevel=error']
  try {
    // a folder above may have a package.json, in which npm would install
    await promisify(execFile)('npm', [...args, ...options, '--prefix', own], { cwd: own })
  } catch (error) {
    if (!UNREACHABLE.test((error as { stderr: string }).stderr)) throw error
    console.warn('SKIPPED: the README with the newest viem. It needs the registry of npm.')
    return test.skip()
  }
  const { packages } = JSON.parse(readFileSync(join(own, 'package-lock.json'), 'utf8'))
  const viems = Object.keys(packages).filter((key) => key.endsWith('node_modules/viem'))
  expect(viems).toEqual(['node_modules/viem'])
  await runExamples(own, await World.start(), 'typescript')
}, 240_000)
