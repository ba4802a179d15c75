import { expect, it } from 'vitest'
import { atEnd } from '../../../../test/helpers/cleanup.js'
import { World } from '../../../../test/helpers/world.js'

it('counts the connections of a client as one, whatever form of its address a balancer sends', async () => {
  const world = await World.start({ RATE_LIMIT_REQUESTS: '8', TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8' })
  atEnd(() => world.close())
  const ask = async (forwarded: string) =>
    (await fetch(`${world.network.providerUrl}/`, { headers: { 'x-forwarded-for': forwarded } })).status
  const ports = Array.from({ length: 10 }, (_, at) => 40_000 + at)
  const four = ports.flatMap((port) => [`203.0.113.8:${port}`, `::ffff:203.0.113.8, 10.0.0.7:${port}`])
  for (const form of four) await ask(form)
  expect(await ask('203.0.113.8')).toBe(429)
  const six = ports.flatMap((port) => [`[2001:db8::9]:${port}`, `"[2001:db8::${port}]:1"`])
  for (const form of six) await ask(form)
  expect(await ask('2001:db8::1')).toBe(429)
  // a control: another client
  expect(await ask('203.0.113.9:40001')).toBe(200)
})
