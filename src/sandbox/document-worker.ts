/** The worker module of documents: beside this file in the source tree, in its own folder in the build. */
export function documentWorker(): URL {
  const here = import.meta.url
  return here.endsWith('.ts') ? new URL('./worker.ts', here) : new URL('./sandbox/worker.js', here)
}
