import { expect, it } from 'vitest'
import { runReadmeExample } from '../../../test/helpers/readme-example.js'

it('runs the example of the README', async () => {
  expect(await runReadmeExample('database')).toMatchObject({ written: 3, rows: [{ height: 4.2 }] })
})
