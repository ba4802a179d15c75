import { expect, it } from 'vitest'
import { runReadmeExample } from '../../../test/helpers/readme-example.js'

it('runs the example of the README', async () => {
  expect(await runReadmeExample('provider')).toMatchObject({ statusCode: 200, body: '{"live":true}' })
})
