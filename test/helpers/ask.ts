import { request } from 'undici'

/** A response with its body, for assertions on all of it at once. */
export interface Answer {
  status: number
  headers: Headers
  text: string
  json: Record<string, unknown>
}

/** What `ask` sends. */
export interface Asking {
  method?: string
  headers?: HeadersInit
  body?: string | Uint8Array
  signal?: AbortSignal
}

/**
 * Sends a request and reads the response. Not by `fetch`, which takes three times the processor time; the request is
 * the same, but accepts no compression, and redirects are not followed.
 */
export async function ask(url: string, { method = 'GET', headers, body, signal }: Asking = {}): Promise<Answer> {
  const sent = new Headers({ accept: '*/*' })
  if (typeof body === 'string') sent.set('content-type', 'text/plain;charset=UTF-8')
  for (const [name, value] of new Headers(headers)) sent.set(name, value)
  const asked = {
    method: method as 'GET',
    headers: Object.fromEntries(sent),
    body: body ?? null,
    signal: signal ?? null,
  }
  const { statusCode, headers: answered, body: answer } = await request(url, asked)
  const text = await answer.text()
  return { status: statusCode, headers: headersOf(answered), text, json: parsed(text) }
}

function headersOf(answered: Record<string, string | string[] | undefined>): Headers {
  const headers = new Headers()
  for (const [name, values] of Object.entries(answered))
    for (const one of [values ?? []].flat()) headers.append(name, one)
  return headers
}

/** Sends a value as JSON: by POST, unless `init` names another method. */
export function askJson(
  url: string,
  body: unknown,
  { headers, ...init }: Omit<Asking, 'headers' | 'body'> & { headers?: Record<string, string> } = {},
): Promise<Answer> {
  const all = { 'content-type': 'application/json', ...headers }
  return ask(url, { method: 'POST', ...init, headers: all, body: JSON.stringify(body) })
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return {}
  }
}
