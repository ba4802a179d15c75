import pg from 'pg'
import { hostUrls, parseServer } from './hosts.js'

/** Maximum characters of a server's words. */
const MAX_WORDS = 200

/** Returns an error of opening a database without its cause, which may quote anything. `said`: the server's own words. */
export function publicError(error: unknown, url: string): Error & { code?: string; said?: string } {
  const { code, message } = error as NodeJS.ErrnoException
  const said = error instanceof pg.DatabaseError ? { said: withoutPassword(message, url) } : {}
  return Object.assign(new Error(code ?? message), code === undefined ? {} : { code }, said)
}

/** Returns a text without control characters and without the passwords of a URL. */
function withoutPassword(text: string, url: string): string {
  const passwords = hostUrls(url).flatMap((each) => {
    const { password, searchParams } = parseServer(each)
    return [password, decodeURIComponent(password), searchParams.get('password') ?? '']
  })
  const hidden = passwords.reduce((words, secret) => (secret ? words.replaceAll(secret, '…') : words), text)
  return hidden
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .slice(0, MAX_WORDS)
    .trim()
}
