/** URL of the folder of the built console: beside the bundle, or in dist/ of the source tree. */
export function consoleFolder(): URL {
  const here = import.meta.url
  return here.endsWith('.ts') ? new URL('../../../../dist/console/', here) : new URL('./console/', here)
}
