import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import { directImports, workspaceModules } from '../../scripts/build/workspace-modules.mjs'
import { ROOT } from './built.js'
import { prepared } from './prepared.js'

/** As the modules of a build do, each finds files by its own URL: those of the service as if they were in its build. */
const urls = (dist: string): Plugin => ({
  name: 'urls',
  setup: (built) =>
    built.onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const url = pathToFileURL(path.startsWith(join(ROOT, 'packages/')) ? join(dist, 'cli.js') : path)
      const contents = directImports(ROOT, readFileSync(path, 'utf8')).replaceAll(
        'import.meta.url',
        JSON.stringify(url),
      )
      return { contents, loader: 'ts' }
    }),
})

/**
 * Builds programs, given by their paths in this repository, beside the build of this test run, where they find packages: from
 * source each takes seconds to start. Returns the folder; undefined outside of a test run.
 */
export async function builtPrograms(
  name: string,
  sources: string[],
  options: BuildOptions = {},
): Promise<string | undefined> {
  const folder = prepared('build')
  if (folder === undefined) return undefined
  const outdir = join(folder, name)
  await build({
    plugins: [urls(join(folder, 'dist')), workspaceModules(ROOT)],
    entryPoints: sources.map((source) => join(ROOT, source)),
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    ...options,
  })
  return outdir
}
