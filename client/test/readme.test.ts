import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../../test/helpers/built.js'
import { owned } from '../../test/helpers/children.js'
import { World } from '../../test/helpers/world.js'

it('the examples of the README run, one after the other, and that of the page', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-client-readme-'))
  const world = await World.start()
  try {
    const examplesOf = (page: string) =>
      [...readFileSync(join(ROOT, page), 'utf8').matchAll(/```js\n([\s\S]*?)```/g)].map(([, code]) => code as string)
    const examples = examplesOf('client/README.md')
    expect(examples.length).toBeGreaterThan(8)
    const [first = '', ...others] = examplesOf('docs/clients/tidegate-client.md')
    expect(others).toEqual([])
    // what is published has to be in the index before it is looked for
    const indexed = `for (;;) {
      const response = await fetch(\`\${PROVIDER}/api/aquarius/assets/ddo/\${did}\`)
      if (response.ok) break
      await new Promise((resolve) => setTimeout(resolve, 50))
    }\n`
    const program = examples.map((code) => (code.includes('= published') ? code + indexed : code)).join('\n')
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    // the page names the addresses of a network with the usual ports
    const { providerUrl, rpcUrl } = world.network
    const here = first.replace('http://127.0.0.1:8030', providerUrl).replace('http://127.0.0.1:8545', rpcUrl)
    writeFileSync(join(folder, 'page.ts'), `// @ts-nocheck\n${here}\nconsole.log(assets.length, 'of the page')`)
    writeFileSync(
      join(folder, 'readme.ts'),
      `// @ts-nocheck\n${program}\nawait import('./page.ts')\nconsole.log('the end')`,
    )
    const child = spawn(process.execPath, ['--import', join(ROOT, 'node_modules/tsx/dist/loader.mjs'), 'readme.ts'], {
      cwd: folder,
      env: {
        ...process.env,
        TSX_TSCONFIG_PATH: join(ROOT, 'tsconfig.json'),
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
