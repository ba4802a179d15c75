import { expect, it } from 'vitest'
import { refusalOf } from './refusals.js'

it.each([
  [
    'Asset is not consumable. The credentials do not admit consumerAddress (denied with code: ConsumableCodes.CREDENTIAL_NOT_IN_ALLOW_LIST).',
    'The asset is not available. The credentials do not admit consumerAddress.',
  ],
  [
    'Asset DID did:op:12 not found in Elasticsearch. It is too large.',
    'Asset DID did:op:12 not found. It is too large.',
  ],
])('shows people no words of other front ends: %s', async (error, message) => {
  const refusal = await refusalOf(Response.json({ error, code: 'CREDENTIALS_DENIED' }, { status: 403 }))
  expect(refusal.message).toBe(message)
})
