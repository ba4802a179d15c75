import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { expect } from 'vitest'
import type { Answer } from './requests.js'

interface Described {
  responses: Record<string, { content?: Record<string, unknown> }>
}

/** An OpenAPI document, of which only what tests read is typed. */
export interface Api {
  paths: Record<string, Record<string, Described>>
}

/** Returns a check that an answer has the status, media type and body which the API description has for its operation. */
export function answerCheck(api: Api): (method: string, path: string, answer: Answer) => void {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  formats.default(ajv)
  ajv.addSchema(api, 'api')
  const escaped = (part: string) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))
  return (method, path, { status, headers, json }) => {
    const where = `${method} ${path} ${status}`
    const [type = ''] = (headers.get('content-type') ?? '').split(';')
    const content = api.paths[path]?.[method]?.responses[status]?.content ?? {}
    expect(Object.keys(content), where).toContain(type)
    const parts = ['paths', path, method, 'responses', String(status), 'content', type, 'schema']
    const isValid = ajv.compile({ $ref: `api#/${parts.map(escaped).join('/')}` })
    expect(isValid(json) ? [] : isValid.errors, `${where} ${JSON.stringify(json).slice(0, 500)}`).toEqual([])
  }
}
