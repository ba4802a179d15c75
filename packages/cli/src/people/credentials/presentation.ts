import type { Quote, QuoteOptions } from '@tidegate/client'
import { CommandError } from '@tidegate/provider/commands/failures'
import { interrupted } from '../output/prompts.js'
import { qrLines } from '../output/qr-code.js'
import type { Session } from '../session.js'
import { forgetSessions, keepSession } from './kept-sessions.js'

/** Quotes an order. A kept session that the policy server refuses is forgotten: the quote then asks for credentials. Throws TidegateError. */
export async function readQuote(session: Session, did: string, options: QuoteOptions): Promise<Quote> {
  const quote = () => session.client.quote(did, options)
  return quote().catch((error) => {
    if (!isDenied(error) || !forgetSessions(session, did, options.service)) throw error
    return quote()
  })
}

/**
 * Lets the person present the credentials that a quote asks for. Returns the quote for who has presented them. Throws CommandError
 * `POLICY_DENIED` with the reason of a refusal, TidegateError. `payWith`: the token of a signed payment, which the provider takes for no
 * such service, so that nothing is presented for a new order.
 */
export async function presentIfAsked(session: Session, quote: Quote, payWith: string | undefined): Promise<Quote> {
  const { did, service, file, consumer, presents, order } = quote
  if (!presents || (payWith !== undefined && !order)) return quote
  if (consumer.toLowerCase() !== session.address?.toLowerCase()) {
    session.out.note(
      `The publisher asks for credentials: ${consumer} cannot download before it has presented them with its own account.`,
    )
    return quote
  }
  await present(session, did, service)
  return session.client.quote(did, { service, file, consumer })
}

/** Runs a request for files of a service, and again after a presentation if the policy server refuses it. Throws like `presentIfAsked`. */
export async function withCredentials<T>(
  session: Session,
  { did, service }: { did: string; service: string | undefined },
  request: () => Promise<T>,
): Promise<T> {
  return request().catch(async (error) => {
    if (!isDenied(error)) throw error
    forgetSessions(session, did, service)
    await present(session, did, service)
    return request()
  })
}

const isDenied = (error: unknown) => (error as { code?: unknown }).code === 'POLICY_DENIED'

/** Shows the request for the wallet of credentials, waits until it is answered, and keeps the session. */
async function present(session: Session, did: string, service: string | undefined): Promise<void> {
  const { client, out, signal } = session
  const presentation = await client.present(did, { service, signal })
  const { request, presented } = presentation
  if (request !== undefined)
    out.note(
      'The publisher asks for credentials. Open this link in your wallet of credentials:',
      request,
      ...(out.isJson ? [] : await qrLines(request)),
      'Waiting until they are presented. Ctrl-C ends it …',
    )
  try {
    await presented({ signal })
  } catch (error) {
    if (signal.aborted)
      throw interrupted('interrupted before credentials were presented. Repeat the command: it asks for them again.')
    if (!isDenied(error)) throw error
    throw new CommandError('POLICY_DENIED', `${(error as Error).message} Repeat the command to present others.`)
  }
  out.note('The credentials are accepted.')
  try {
    keepSession(session, presentation)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    out.note(`the next command asks for them again: the session cannot be kept (${code ?? message})`)
  }
}
