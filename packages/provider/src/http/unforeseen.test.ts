import Fastify from 'fastify'
import { expect, it } from 'vitest'
import { sendError } from './errors.js'

it('an unexpected error is a 500 whose response and log contain where it was thrown, but not its message', async () => {
  const lines: string[] = []
  const app = Fastify({ logger: { level: 'error', stream: { write: (line: string) => void lines.push(line) } } })
  app.setErrorHandler(sendError)
  app.get('/', () => {
    throw new RangeError('https://storage.example/secret.csv?key=hunter2')
  })
  const { statusCode, body } = await app.inject('/')
  expect(statusCode).toBe(500)
  expect(JSON.parse(body)).toEqual({ error: expect.any(String), code: expect.any(String) })
  const { type, at } = JSON.parse(lines.join('')) as { type: string; at: string[] }
  expect([type, at[0]]).toEqual(['RangeError', expect.stringContaining('unforeseen.test.ts')])
  expect(body + lines).not.toMatch(/hunter2|storage\.example/)
  await app.close()
})
