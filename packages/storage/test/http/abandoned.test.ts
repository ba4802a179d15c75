import { expect, it } from 'vitest'
import { ABANDONED, connectionsOfAbandoned } from '../../../../test/helpers/abandoned.js'
import { ASKING, testEgress, testRegistry } from '../../../../test/helpers/storage-tools.js'

it.each([
  ['before its first byte', false],
  ['within the file', true],
])('a reader who leaves %s costs the storage no second connection', async (_when, begun) => {
  const egress = testEgress()
  const registry = testRegistry(egress)
  const send = async (origin: string, signal: AbortSignal) => {
    const file = registry.file({ type: 'url', url: `${origin}/tides.csv`, method: 'GET' })
    const { body } = await file.open({ ...ASKING, method: 'GET', headers: {}, signal })
    signal.addEventListener('abort', () => body.destroy())
    return body.toArray()
  }
  expect(await connectionsOfAbandoned(send, { begun })).toBe(ABANDONED)
  await egress.close()
})
