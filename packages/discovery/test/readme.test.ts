import { expect, it } from 'vitest'
import { runReadmeExample } from '../../../test/helpers/readme-example.js'

it('runs the example of the README', async () => {
  const { texts } = await runReadmeExample('discovery')
  for (const text of texts as unknown[])
    expect(typeof text === 'string' ? text : JSON.stringify(text)).toContain('Tide tables')
})
