import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../../../test/helpers/built.js'
import { owned } from '../../../test/helpers/children.js'
import { prepared } from '../../../test/helpers/prepared.js'
import { World } from '../../../test/helpers/world.js'

it('the examples of the README and of its page run in sequence', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-client-readme-'))
  const world = await World.start()
  try {
    const examplesOf = (page: string) =>
      [...readFileSync(join(ROOT, page), 'utf8').matchAll(/```js\n([\s\S]*?)```/g)].map(([, code]) => code as string)
    const examples = examplesOf('packages/client/README.md')
    expect(examples.length).toBeGreaterThan(8)
    const [first = '', ...others] = examplesOf('docs/clients/tidegate-client.md')
    expect(others).toEqual([])
    // published assets must be indexed before a search, and orders before a receipt
    const indexed = `for (;;) {
      const response = await fetch(\`\${PROVIDER}/api/aquarius/assets/ddo/\${did}\`)
      if (response.ok) break
      await new Promise((resolve) => setTimeout(resolve, 50))
    }\n`
    const known = 'while (!(await tidegate.receipt(order).catch(() => false)));\n'
    const program = examples
      .map((code) => (code.includes('.receipt(') ? known + code : code))
      .map((code) => (code.includes('= published') ? code + indexed : code))
      .join('\n')
    // the reader's installation, with the built library
    mkdirSync(join(folder, 'node_modules', '@tidegate'), { recursive: true })
    symlinkSync(
      prepared('checkout', 'packages', 'client') as string,
      join(folder, 'node_modules', '@tidegate', 'client'),
    )
    symlinkSync(join(ROOT, 'node_modules', 'viem'), join(folder, 'node_modules', 'viem'))
    // the page uses the addresses of a network with default ports
    const { providerUrl, rpcUrl } = world.network
    const here = first.replace('http://127.0.0.1:8030', providerUrl).replace('http://127.0.0.1:8545', rpcUrl)
    writeFileSync(join(folder, 'page.mjs'), `${here}\nconsole.log(assets.length, 'of the page')`)
    writeFileSync(join(folder, 'readme.mjs'), `${program}\nawait import('./page.mjs')\nconsole.log('the end')`)
    const child = spawn(process.execPath, ['readme.mjs'], {
      cwd: folder,
      env: {
        ...process.env,
        PROVIDER: world.network.providerUrl,
        RPC_URL: world.network.rpcUrl,
        PRIVATE_KEY: (await world.somebody()).privateKey,
        FILE_URL: world.storage.file('/tides.csv', Buffer.from('a,b\n1,2\n')),
      },
    })
    let output = ''
    for (const stream of [owned(child).stdout, child.stderr]) stream.on('data', (data) => (output += data))
    const [status] = await once(child, 'close')
    expect(status, output).toBe(0)
    for (const line of ['Tide tables of Brest free 8', 'tides.csv text/csv 8', '4', 'ASSET_NOT_FOUND 404', 'the end'])
      expect(output.split('\n')).toContain(line)
    expect(output).toMatch(/^[1-9] of the page$/m)
    expect(readFileSync(join(folder, 'tides.csv'), 'utf8')).toBe('a,b\n1,2\n')
  } finally {
    await world.close()
    rmSync(folder, { recursive: true, force: true })
  }
})
