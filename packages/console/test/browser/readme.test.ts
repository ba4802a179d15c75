import { expect, it } from 'vitest'
import { runReadmeExample } from '../../../../test/helpers/readme-example.js'

it('runs the example of the README', async () => {
  expect(await runReadmeExample('console')).toMatchObject({ one: '1 asset', many: 'More than 1,204 assets' })
})
