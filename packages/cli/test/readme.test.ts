import { afterAll, beforeAll, expect, it } from 'vitest'
import { runHere } from '../../../test/helpers/command-here.js'
import { page } from '../../../test/helpers/pages.js'
import { type Home, makeHome } from '../../../test/helpers/terminal.js'
import { World } from '../../../test/helpers/world.js'

let world: World
let home: Home
beforeAll(async () => {
  world = await World.start()
  home = makeHome()
})
afterAll(async () => {
  await world.close()
  home.remove()
})

it('runs the command lines of the README', async () => {
  const example = page('packages/cli/README.md').blocks.find(({ language }) => language === 'sh')?.text ?? ''
  const location = world.storage.file('/tides.csv', Buffer.from('hour,height\n'))
  const { providerUrl, rpcUrl } = world.network
  const environment = { ...home.environment, TIDEGATE_PROVIDER: providerUrl, TIDEGATE_RPC: rpcUrl }
  const outputs: string[] = []
  for (const line of example.trim().replace('https://example.org/tides.csv', location).split('\n')) {
    const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => (quoted ?? plain) as string)
    const { status, stdout, stderr } = await runHere(words.slice(1), environment)
    expect(status, stderr).toBe(0)
    outputs.push(stdout)
  }
  const [did = '', found] = outputs
  expect(found).toContain(did.trim())
  expect(found).toContain('Tide tables')
})
