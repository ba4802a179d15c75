import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { abortable, withDeadline } from '@tidegate/common'
import { ProviderError } from '@tidegate/protocol'
import { PROVIDER_LIMITS } from '../limits.js'
import { plainLine } from './plain-text.js'
import { ToolError } from './tool-error.js'

const { result: RESULT, message: MESSAGE } = PROVIDER_LIMITS.mcp

/** A structured result, and how to make it smaller; undefined if it cannot be. */
export interface Answer<T extends object> {
  result: T
  smaller?: (result: T) => T | undefined
}

/** Returns an answer that drops entries from the end of a list until it fits. */
export function withList<T extends object, K extends keyof T>(result: T, list: K): Answer<T> {
  const smaller = (one: T): T | undefined => {
    const entries = one[list] as readonly unknown[]
    return entries.length === 0 ? undefined : { ...one, [list]: entries.slice(0, Math.floor(entries.length / 2)) }
  }
  return { result, smaller }
}

/** Returns a tool's result, as a structure and as its JSON, of at most `PROVIDER_LIMITS.mcp.result` bytes. */
export function toolResult<T extends object>({ result, smaller = () => undefined }: Answer<T>): CallToolResult {
  for (let fitting: T | undefined = result; fitting; fitting = smaller(fitting)) {
    const text = JSON.stringify(fitting)
    const made = {
      structuredContent: { ...fitting } as Record<string, unknown>,
      content: [{ type: 'text' as const, text }],
    }
    if (Buffer.byteLength(JSON.stringify(made)) <= RESULT) return made
  }
  return toolError(new ToolError('TOO_LARGE', 'The result is too large.'))
}

interface ReadableError {
  code: string
  /** Transactions sent before the failure. */
  transactions: readonly string[]
  /** HTTP status of a provider's refusal, whose message is the provider's. */
  status: number
}

/** Names of errors whose messages are for people: of tools, of the client library and of commands. */
const READABLE: ReadonlySet<string> = new Set(['ToolError', 'TidegateError', 'CommandError'])

/**
 * Returns an error as a tool's result, which the model reads. Details of unforeseen errors stay inside. The sentence of an answer of another
 * provider is a stranger's text, and is marked.
 */
export function toolError(error: unknown): CallToolResult {
  const { code = 'FAILED', message, name, transactions = [], status } = error as Partial<ReadableError> & Error
  const isOwn = error instanceof ProviderError || READABLE.has(name)
  const sent = transactions.length > 0 ? ` Transactions sent: ${transactions.join(', ')}.` : ''
  const told = plainLine(message, MESSAGE)
  const sentence = status === undefined ? told : `The answer of the provider, untrusted: "${told.replaceAll('"', "'")}"`
  const text = isOwn ? `${code}: ${sentence}${sent}` : 'FAILED: The tool failed.'
  return { isError: true, content: [{ type: 'text', text }] }
}

/** Runs a tool within a time. Its signal aborts late work, and work that the client has cancelled. */
export async function answered<T extends object>(
  work: (signal: AbortSignal) => Promise<Answer<T>>,
  parent: AbortSignal,
  milliseconds: number,
  onError: (error: unknown) => void,
): Promise<CallToolResult> {
  const reason = () => new ToolError('TIMEOUT', 'The tool took too long.')
  try {
    const run = (signal: AbortSignal) => abortable(work(signal), signal)
    return toolResult(await withDeadline({ milliseconds, parent, reason }, run))
  } catch (error) {
    onError(error)
    return toolError(error)
  }
}
