import { expect, it } from 'vitest'
import { connectionUrl, hostUrls, publicParts } from './hosts.js'

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

it('names the socket of a URL without a host', () => {
  const url = 'postgres://tide:secret@/db?host=/cloudsql/project:region:instance'
  expect(publicParts(url)).toEqual({ user: 'tide', host: '/cloudsql/project:region:instance', pathname: '/db' })
})

it.each([
  ['postgres://a/db', 'postgres://a/db'],
  ['postgres://a/db?sslmode=require&channel_binding=require', 'postgres://a/db?sslmode=require'],
  ['postgres://a/db?statement_timeout=1&application_name=b&pipeline=', 'postgres://a/db'],
  ['postgres://a/db?options=endpoint%3Dcool-1', 'postgres://a/db?options=endpoint%3Dcool-1'],
  ['postgres://a/db?sslmode=verify-full&sslrootcert=system', 'postgres://a/db?sslmode=verify-full&ssl=true'],
])('takes the parameters of the connection from %s', (url, expected) => {
  expect(connectionUrl(url)).toBe(expected)
})
