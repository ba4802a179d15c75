import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import type { Answer } from './requests.js'

/** Every form in which a secret could be recognised. */
function tracesOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const digest = (name: string) => createHash(name).update(bytes).digest()
  const forms = [bytes, digest('sha256'), digest('sha1'), digest('md5')]
  return [secret, encodeURIComponent(secret)].concat(
    forms.flatMap((form) => [
      form.toString('hex'),
      form.toString('base64').replace(/=+$/, ''),
      form.toString('base64url'),
    ]),
  )
}

/** All headers of a response, also decoded from base64 and hex. */
function saidBy({ headers }: Answer): string {
  const values = [...headers].flatMap(([name, value]) => {
    const words = value.split(/[^\w+/=-]+/)
    const read = (form: 'base64' | 'hex') => words.map((word) => Buffer.from(word, form).toString('latin1'))
    return [name, value, ...read('base64'), ...read('hex')]
  })
  return values.join('\n').toLowerCase()
}

/** Asserts that no header of the answers contains a secret, in any form. */
export function expectNothingSaid(secret: string, answers: Answer[]): void {
  for (const answer of answers)
    for (const trace of tracesOf(secret)) expect(saidBy(answer)).not.toContain(trace.toLowerCase())
}
