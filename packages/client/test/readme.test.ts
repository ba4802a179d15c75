import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../../../test/helpers/built.js'
import { newFolder } from '../../../test/helpers/cleanup.js'
import { prepared } from '../../../test/helpers/prepared.js'
import { World } from '../../../test/helpers/world.js'
import { PACKAGES, runExamples } from './readme-examples.js'

it('the examples of the README and of its page compile strictly and run with the oldest viem that the package allows', async () => {
  const own = newFolder()
  const client = join(own, 'node_modules', '@tidegate', 'client')
  mkdirSync(client, { recursive: true })
  cpSync(join(ROOT, 'packages', 'client', 'package.json'), join(client, 'package.json'))
  cpSync(prepared('checkout', 'packages', 'client', 'dist') as string, join(client, 'dist'), { recursive: true })
  symlinkSync(join(PACKAGES, 'viem'), join(own, 'node_modules', 'viem'))
  const { version } = JSON.parse(readFileSync(join(PACKAGES, 'viem', 'package.json'), 'utf8'))
  const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(client, 'package.json'), 'utf8'))
  expect({ dependencies, peerDependencies }).toEqual({ peerDependencies: { viem: `^${version}` } })
  await runExamples(own, await World.start())
})
