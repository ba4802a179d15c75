import { Agent } from 'undici'
import { expect, it } from 'vitest'
import { ABANDONED, connectionsOfAbandoned } from '../../../test/helpers/abandoned.js'
import { connector } from '../src/connector.js'

it.each([
  ['before its response', false],
  ['within its body', true],
])('a request that is aborted %s opens no second connection', async (_when, begun) => {
  const agent = new Agent({ connect: connector() })
  const send = async (origin: string, signal: AbortSignal) => {
    const { body } = await agent.request({ origin, path: '/', method: 'GET', signal })
    return body.text()
  }
  expect(await connectionsOfAbandoned(send, { begun })).toBe(ABANDONED)
  await agent.destroy()
})
