import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** A request with a payment. */
export interface Paying {
  /** Counts the payments, from 1. */
  count: number
  request: IncomingMessage
  response: ServerResponse
  /** Has the real service take the payment, and returns its response. */
  pass(): Promise<Response>
  /** Passes the payment, and the response of the real service. */
  honestly(): Promise<void>
  /** The price as the real service asks for it. */
  demand(change?: (accepted: Record<string, unknown>) => void): Promise<string>
}

/** A provider that passes all requests to a real service, and does what it likes with payments. */
export class Shop {
  /** The headers of all payments. */
  readonly payments: string[] = []
  misbehave: (paying: Paying) => unknown = ({ honestly }) => honestly()
  private readonly server = createServer((request, response) => {
    this.answer(request, response).catch(() => response.destroy())
  })

  private constructor(private readonly provider: string) {}

  static async before(provider: string): Promise<Shop> {
    const shop = new Shop(provider)
    shop.server.listen(0, '127.0.0.1')
    await once(shop.server, 'listening')
    return shop
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  close(): void {
    this.server.close()
    this.server.closeAllConnections()
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/' } = request
    const payment = request.headers['payment-signature'] as string | undefined
    const names = ['content-type', 'payment-signature', 'authtoken', 'range'] as const
    const given = names.flatMap((name) => (request.headers[name] ? [[name, String(request.headers[name])]] : []))
    const body = method === 'POST' ? await buffer(request) : undefined
    const init = { method, headers: Object.fromEntries(given), ...(body?.length ? { body } : {}) }
    const pass = () => fetch(this.provider + url, init)
    const honestly = async () => {
      const passed = await pass()
      const kept = [...passed.headers].filter(
        ([name]) => !/^(content-(length|encoding)|connection|transfer-)/.test(name),
      )
      response.writeHead(passed.status, Object.fromEntries(kept)).end(Buffer.from(await passed.arrayBuffer()))
    }
    if (payment === undefined) return honestly()
    const demand: Paying['demand'] = async (change) => {
      const asked = await fetch(this.provider + url)
      const required = JSON.parse(atob(asked.headers.get('payment-required') as string))
      change?.(required.accepts[0])
      return btoa(JSON.stringify(required))
    }
    const count = this.payments.push(payment)
    await this.misbehave({ count, request, response, pass, honestly, demand })
  }
}
