import type { RequestContext } from '../storage.js'

export interface EgressRequest extends Omit<RequestContext, 'userdata'> {
  url: string
  method: 'GET' | 'HEAD' | 'POST'
  /** Names in lower case. */
  headers: Record<string, string>
  body?: string | undefined
  /** Names of the publisher's headers, which are never sent to another origin. */
  secret?: ReadonlySet<string> | undefined
}
