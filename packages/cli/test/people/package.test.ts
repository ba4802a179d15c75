import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCommand } from '../../../../test/helpers/command.js'
import { packedService } from '../../../../test/helpers/packed.js'
import { type Home, makeHome } from '../../../../test/helpers/terminal.js'
import { World } from '../../../../test/helpers/world.js'

const CONTENT = Buffer.from('hour,height\n'.repeat(500))

/** The npm package, unpacked alone: the commands need no other package. */
describe('the packed program', () => {
  let world: World
  let home: Home
  let cli: string
  beforeAll(async () => {
    world = await World.start()
    home = makeHome()
    cli = join(packedService(), 'dist', 'cli.js')
  })
  afterAll(async () => {
    await world.close()
    home.remove()
  })

  const run = (...args: string[]) => {
    const { providerUrl, rpcUrl } = world.network
    const environment = { ...home.environment, TIDEGATE_PROVIDER: providerUrl, TIDEGATE_RPC: rpcUrl }
    return runCommand(args, environment, '', [cli])
  }

  it('publishes, shows, buys and downloads', async () => {
    expect(readdirSync(packedService())).not.toContain('node_modules')
    const url = world.storage.file('/tides.csv', CONTENT)
    const published = await run('publish', url, '--name', 'Tide tables', '--price', '5', '--account', '1', '--yes')
    expect(published).toMatchObject({ status: 0, stdout: expect.stringMatching(/^did:op:/) })
    const did = published.stdout.trim()
    const output = join(home.folder, 'tides.csv')
    expect(await run('get', did, '-o', output, '--account', '2', '--yes')).toMatchObject({ status: 0 })
    expect(readFileSync(output).equals(CONTENT)).toBe(true)
  })

  it('lists the commands by reader', async () => {
    const { status, stdout } = await run('--help')
    expect(status).toBe(0)
    expect(stdout).toMatch(/Publish and buy:\n +publish[\s\S]+Operate a provider:\n +start/)
  })
})
