import { expect, it } from 'vitest'
import { runReadmeExample } from '../../../test/helpers/readme-example.js'

it('runs the example of the README', async () => {
  expect(await runReadmeExample('catalog')).toMatchObject({ index: 0, unknown: 'DID_NOT_RESOLVED', size: 10 })
})
