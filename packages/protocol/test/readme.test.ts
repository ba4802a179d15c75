import { expect, it } from 'vitest'
import { runReadmeExample } from '../../../test/helpers/readme-example.js'

it('runs the example of the README', async () => {
  expect(await runReadmeExample('protocol')).toMatchObject({
    polygon: { chainId: 137 },
    did: expect.stringMatching(/^did:op:/),
    isValid: true,
    remedy: 'Order again.',
  })
})
