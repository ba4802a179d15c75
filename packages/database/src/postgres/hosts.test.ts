import { expect, it } from 'vitest'
import { hostUrls, publicParts } from './hosts.js'

it.each([
  ['postgres://a/db', ['postgres://a/db']],
  [
    'postgres://u:p,%40@a:1,b,[::1]:2/db?x=1,2',
    ['a:1', 'b', '[::1]:2'].map((host) => `postgres://u:p,%40@${host}/db?x=1,2`),
  ],
  ['postgres:///db?host=/run', ['postgres:///db?host=/run']],
])('returns the URL of each host of %s', (url, urls) => {
  expect(hostUrls(url)).toEqual(urls)
})

it('names all hosts without the password', () => {
  expect(publicParts('postgres://tide%40r:secret@a:1,b/db')).toEqual({ user: 'tide@r', host: 'a:1,b', pathname: '/db' })
})
