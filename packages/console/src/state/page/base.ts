/** Where the page lies, with slashes around: below a path of a proxy it follows from the URL of its own files. */
export const BASE = baseOf()

function baseOf(): string {
  const own = globalThis.document?.querySelector<HTMLScriptElement>('script[src$="/theme.js"]')
  return own ? new URL('.', own.src).pathname : '/console/'
}
