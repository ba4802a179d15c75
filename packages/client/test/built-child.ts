import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url))

/** Bundles a process for tests to kill, and returns its path: starting it from source takes several times as long. */
export function builtChild(folder: string, name: 'download-child' | 'upload-child'): string {
  const outfile = join(folder, `${name}.mjs`)
  buildSync({
    entryPoints: [path(`${name}.ts`)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    alias: { '@tidegate/client/node': path('../src/node/index.ts'), '@tidegate/client': path('../src/index.ts') },
    // for libraries that are not modules
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  })
  return outfile
}
