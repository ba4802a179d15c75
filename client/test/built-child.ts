import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url))

/** Builds the process that downloads into a folder, as from source each of them takes ten times as much work to start. Returns its path. */
export function builtChild(folder: string): string {
  const outfile = join(folder, 'download-child.mjs')
  buildSync({
    entryPoints: [path('download-child.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    alias: { '@tidegate/client/node': path('../src/node/index.ts'), '@tidegate/client': path('../src/index.ts') },
    // of libraries that are not modules
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  })
  return outfile
}
