import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { expect, it } from 'vitest'

const path = (name: string) => fileURLToPath(new URL(`../src/${name}`, import.meta.url))

it('the main entry and those that pages import need nothing of Node', async () => {
  for (const entry of [
    ...['index.ts', 'abi.ts', 'added-fields.ts', 'asset/index.ts', 'did.ts', 'messages.ts', 'networks.ts'],
    'values/index.ts',
  ]) {
    // a module of Node cannot be resolved for a browser
    const { metafile } = await build({
      entryPoints: [path(entry)],
      bundle: true,
      format: 'esm',
      target: 'es2022',
      platform: 'browser',
      write: false,
      metafile: true,
    })
    const outside = Object.values(metafile.outputs).flatMap(({ imports }) => imports)
    expect(outside, entry).toEqual([])
  }
})
