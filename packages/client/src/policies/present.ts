import { fieldsOf } from '@tidegate/protocol/values'
import { addressOf } from '../auth/signing.js'
import { servedDocument, serviceIn } from '../chain/document.js'
import type { Context } from '../context.js'
import { consumerOf, holderOf, provenOnce } from '../download/proof.js'
import { TidegateError } from '../errors.js'
import { deadline } from '../http/deadline.js'
import { pause, retriesAfter } from '../http/retry.js'
import { LIMITS } from '../limits.js'
import { askPolicyServer } from './answers.js'
import { useSession } from './sessions.js'
import type { Presentation, PresentOptions, WaitOptions } from './types.js'

const START = '/api/services/initializePSVerification'

/** Links that a wallet of credentials takes. Any other could run a program or a script. */
const WALLET_LINK = /^(openid4vp|haip|mdoc-openid4vp|https):\/\/[!#-;=?-[\]-~]+$/

/**
 * Starts the presentation of credentials for a service whose publisher asks for them (a refusal `POLICY_DENIED`, or a quote with
 * `presents`). Show `request` to the person, as a link and as a QR code, and wait for `presented()`: quotes, downloads and links
 * of this client then carry the session. Signs nothing unless the provider asks for a proof.
 * Throws TidegateError with the provider's reason; `BAD_ANSWER` for a request that is no link for a wallet.
 *
 * @example
 * const { request, presented } = await tidegate.present('did:ope:…')
 * console.log('Open in your wallet:', request)
 * await presented()
 */
export async function present(context: Context, did: string, options: PresentOptions = {}): Promise<Presentation> {
  const { signal } = options
  const { id: service } = serviceIn(await servedDocument(context, did), options.service)
  const { session, request } = sessionIn(await start(context, { documentId: did, serviceId: service }, signal))
  return {
    did,
    service,
    session,
    request,
    presented: async (wait = {}) => {
      if (request !== undefined) await untilPresented(context, session, wait)
      useSession(context, did, service, session)
    },
  }
}

async function start(context: Context, of: object, signal: AbortSignal | undefined): Promise<unknown> {
  const { api, token } = context
  const policyServer = { successRedirectUri: '', errorRedirectUri: '' }
  const post = (consumer: object, headers?: Record<string, string>) =>
    api.post(START, { ...of, policyServer, ...consumer }, signal, headers)
  const consumerAddress = token === undefined ? await addressOf(context) : holderOf(token)
  try {
    return await post({ consumerAddress })
  } catch (error) {
    if (!(error instanceof TidegateError) || error.fields?.signature === undefined) throw error
    const send = (shown: Parameters<typeof consumerOf>[0], headers: Record<string, string>) =>
      post(consumerOf(shown), headers)
    return provenOnce(context, 'PolicyServerInitialize', send, { signal })
  }
}

/** Returns the session and the link for the wallet. A redirect to success asks for nothing. Throws TidegateError `BAD_ANSWER`. */
function sessionIn(answer: unknown): { session: string; request: string | undefined } {
  const { message } = fieldsOf(answer)
  const { sessionId, redirectUri } = fieldsOf(message)
  const link = typeof message === 'string' ? message : redirectUri
  if (typeof link !== 'string' || link.length > LIMITS.policies.link || (link !== '' && !WALLET_LINK.test(link)))
    throw new TidegateError('BAD_ANSWER', 'The policy server gave no link for a wallet of credentials.')
  const asks = /^(openid4vp|haip|mdoc-openid4vp):/.test(link)
  const session =
    typeof sessionId === 'string' ? sessionId : URL.canParse(link) ? new URL(link).searchParams.get('state') : null
  if (session === null || !/^[\w.~-]{1,256}$/.test(session))
    throw new TidegateError('BAD_ANSWER', 'The policy server named no session.')
  return { session, request: asks ? link : undefined }
}

/** Asks for a session until something was presented in it. */
async function untilPresented(
  context: Context,
  sessionId: string,
  { timeout = LIMITS.policies.wait, signal }: WaitOptions,
): Promise<void> {
  const late = new TidegateError('TIMEOUT', 'No credentials were presented in time. Start again.')
  const limit = deadline(signal, timeout, late)
  try {
    for (;;) {
      const answer = await askPolicyServer(context, { action: 'checkSessionId', sessionId }, limit.signal).catch(
        (error) => {
          // a phone may be offline while its wallet is open
          if (limit.signal.aborted || retriesAfter(error, true, 1) === 0) throw error
        },
      )
      if (answer?.agrees) return
      // before a presentation there is no result
      if (answer && (answer.message.verificationResult === false || answer.message.error !== undefined))
        throw new TidegateError(
          'POLICY_DENIED',
          `The credentials were not accepted${answer.words === '' ? '' : `: ${answer.words}`}.`,
        )
      await pause(LIMITS.policies.poll, limit.signal)
    }
  } catch (error) {
    throw limit.signal.aborted ? limit.signal.reason : error
  } finally {
    limit.end()
  }
}
