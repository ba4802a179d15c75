/**
 * Returns the URL of a thread module: in the source tree a TypeScript file beside `from`, in the build a file in its own
 * folder.
 */
export function threadModule(from: string, name: string, folder: string): URL {
  return from.endsWith('.ts') ? new URL(`./${name}.ts`, from) : new URL(`./${folder}/${name}.js`, from)
}

/** Returns the Node arguments of a thread: modules of the source tree need a TypeScript loader. */
export function loaderFor(entry: URL): string[] {
  return entry.pathname.endsWith('.ts') ? ['--import', new URL('./typescript.mjs', import.meta.url).href] : []
}
