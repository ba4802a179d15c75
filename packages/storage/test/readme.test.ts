import { expect, it } from 'vitest'
import { runReadmeExample } from '../../../test/helpers/readme-example.js'

it('runs the example of the README', async () => {
  const exports = await runReadmeExample('storage')
  expect(exports).toMatchObject({ status: 200, name: 'tides.csv', content: 'hour,height\n0,4.2\n' })
})
