/**
 * Finds a module that threads run: beside the file `from` in the source tree, where it is TypeScript, or in its own folder in
 * the build, whose files are all at the top.
 */
export function threadModule(from: string, name: string, folder: string): URL {
  return from.endsWith('.ts') ? new URL(`./${name}.ts`, from) : new URL(`./${folder}/${name}.js`, from)
}

/** Node arguments of a thread for its module: modules of the source tree are TypeScript. */
export function loaderFor(entry: URL): string[] {
  return entry.pathname.endsWith('.ts') ? ['--import', new URL('./typescript.mjs', import.meta.url).href] : []
}
