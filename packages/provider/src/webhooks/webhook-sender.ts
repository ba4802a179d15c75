import { createHmac } from 'node:crypto'
import { describeAnswer, describeFailedExchange, Outbound } from '@tidegate/common'
import { PROVIDER_LIMITS } from '../limits.js'

/** Sends signed events to the receiver of the settings. */
export class WebhookSender {
  private readonly outbound: Outbound

  constructor(
    private readonly url: string,
    private readonly secrets: readonly string[],
    { deadline, answer }: { deadline: number; answer: number } = PROVIDER_LIMITS.webhooks,
  ) {
    this.outbound = new Outbound({ timeout: deadline, deadline, maxSize: answer })
  }

  /** Sends the body of an event. Rejects with an Error, which quotes neither URL nor secret, unless the receiver answers 2xx. */
  async send(body: string): Promise<void> {
    // signed in each attempt: the receiver refuses an old time
    const signature = signatureOf(body, this.secrets, Math.floor(Date.now() / 1000))
    const status = await this.outbound.deliver(this.url, body, { 'tidegate-signature': signature }).catch((error) => {
      throw new Error(describeFailedExchange(error))
    })
    if (status < 200 || status > 299)
      throw new Error(describeAnswer({ status, contentType: undefined, text: '' }, 'success'))
  }

  close(): Promise<void> {
    return this.outbound.close()
  }
}

/**
 * Returns the header of a body in the form of Stripe: a time in seconds since 1970, and for each secret the HMAC-SHA256 of time,
 * full stop and body in hexadecimal.
 */
function signatureOf(body: string, secrets: readonly string[], time: number): string {
  const signatures = secrets.map((secret) => createHmac('sha256', secret).update(`${time}.${body}`).digest('hex'))
  return [`t=${time}`, ...signatures.map((signature) => `v1=${signature}`)].join(',')
}
