import type { Context } from '@tidegate/client'
import { expect, it } from 'vitest'
import { boundRequests } from './requests.js'

it('bounds the requests of a thousand calls at once, and refuses more', async () => {
  let [active, most, sent] = [0, 0, 0]
  const request = async () => {
    active += 1
    most = Math.max(most, active)
    await new Promise(setImmediate)
    active -= 1
    sent += 1
  }
  const api = { get: request, post: request } as unknown as Context['api']
  boundRequests({ api })
  const calls = Array.from({ length: 1_100 }, (_, at) => (at % 2 === 0 ? api.get('/') : api.post('/', {})))
  const refused = (await Promise.allSettled(calls)).filter(({ status }) => status === 'rejected')
  expect([most, sent, refused.length]).toEqual([8, 1_008, 92])
  expect(refused[0]).toMatchObject({ reason: { code: 'TOO_MANY_CALLS' } })
})
