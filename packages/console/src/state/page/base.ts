/** Path of the page with slashes around. It follows from the URL of the page's files, as a proxy may add a prefix. */
export const BASE = baseOf()

function baseOf(): string {
  const own = globalThis.document?.querySelector<HTMLScriptElement>('script[src$="/theme.js"]')
  return own ? new URL('.', own.src).pathname : '/console/'
}
