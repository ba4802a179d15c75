import { expect, it } from 'vitest'
import { runReadmeExample } from '../../../test/helpers/readme-example.js'

it('runs the example of the README', async () => {
  expect(await runReadmeExample('hosting')).toMatchObject({ stored: 'hour,height\n0,4.2\n' })
})
