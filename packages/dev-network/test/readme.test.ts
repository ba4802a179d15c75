import { expect, it } from 'vitest'
import { runReadmeExample } from '../../../test/helpers/readme-example.js'

it('runs the example of the README', async () => {
  expect(await runReadmeExample('dev-network')).toMatchObject({ status: 200, chainId: 8996, isDev: true })
})
