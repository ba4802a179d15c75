import { expect, it } from 'vitest'
import { refusalOf } from './refusals.js'

it('shows people the reason of a refusal without the code of other front ends', async () => {
  const error =
    'Asset is not consumable. The credentials do not admit consumerAddress (denied with code: ConsumableCodes.CREDENTIAL_NOT_IN_ALLOW_LIST).'
  const refusal = await refusalOf(Response.json({ error, code: 'CREDENTIALS_DENIED' }, { status: 403 }))
  expect(refusal.message).toBe('Asset is not consumable. The credentials do not admit consumerAddress.')
})
