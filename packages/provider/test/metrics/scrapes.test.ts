import type { Logger } from '@tidegate/common'
import { expect, it } from 'vitest'
import { atEnd } from '../../../../test/helpers/cleanup.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { ask } from '../../../../test/helpers/requests.js'
import { startMetricsServer } from '../../src/metrics/server.js'

const log = { info() {} } as unknown as Logger

it('share one reading of all metrics while they are at the same time, and recover from one that fails', async () => {
  const readings: { resolve: (text: string) => void; reject: (error: Error) => void }[] = []
  const metrics = () => new Promise<string>((resolve, reject) => void readings.push({ resolve, reject }))
  const server = await startMetricsServer({ contentType: 'text/plain', metrics }, '127.0.0.1', 0, log)
  atEnd(() => server.close())
  let received = 0
  server.server.on('request', () => received++)
  const scrape = () => ask(`${server.listeningOrigin}/metrics`)
  const together = Array.from({ length: 20 }, scrape)
  await eventually(() => received === 20)
  expect(readings).toHaveLength(1)
  readings[0]?.resolve('tidegate_up 1')
  expect((await Promise.all(together)).map(({ text }) => text)).toEqual(together.map(() => 'tidegate_up 1'))
  const failing = scrape()
  await eventually(() => readings.length === 2)
  readings[1]?.reject(new Error('a worker is gone'))
  expect((await failing).status).toBe(500)
  const last = scrape()
  await eventually(() => readings.length === 3)
  readings[2]?.resolve('tidegate_up 2')
  expect((await last).text).toBe('tidegate_up 2')
})
