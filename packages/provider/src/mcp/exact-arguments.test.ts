import { describe, expect, it } from 'vitest'
import { clientMessage } from './client-message.js'
import { exactArguments } from './exact-arguments.js'
import { INPUTS } from './shapes.js'

const DID = `did:op:${'ab'.repeat(32)}`
const search = (given: unknown) => exactArguments(INPUTS.search, given)
const purchase = (given: unknown) => exactArguments(INPUTS.purchase, given)

describe('arguments of tools', () => {
  it('may have another spelling of one meaning', () => {
    const whole = { text: 'tide', tags: ['a', '5'], free: true, sort: 'newest', page: 2 }
    expect(search({ ...whole })).toEqual(whole)
    expect(search({ text: 'tide', tags: ['a', null, '', 5], free: 'True', sort: ' Newest', page: '2.0' })).toEqual(
      whole,
    )
    expect(search(JSON.stringify({ ...whole, tags: '["a","5"]', free: 1 }))).toEqual(whole)
    expect(search([whole])).toEqual(whole)
    expect(search({ tags: 'a', text: 2024, page: [1] })).toEqual({ tags: ['a'], text: '2024', page: 1 })
    expect(purchase({ did: [` ${DID} `], service: 7, file: '0' })).toEqual({ did: DID, service: '7', file: 0 })
    expect(purchase({ did: DID.replaceAll('ab', 'AB') })).toEqual({ did: DID })
  })

  it('may be empty if they may be absent', () => {
    for (const nothing of [undefined, null, '', [], {}, '{}']) expect(search(nothing)).toEqual({})
    const names = ['text', 'tags', 'type', 'free', 'sort', 'page']
    for (const nothing of [null, '', []])
      expect(search(Object.fromEntries(names.map((name) => [name, nothing])))).toEqual({})
    expect(search({ free: 'null', page: 'None', text: 'null' })).toEqual({ text: 'null' })
  })

  it('stay as they are if their meaning is open', () => {
    const open = { free: 'yes', sort: 'cheapest', page: '1e1', tags: { a: 1 }, more: 1 }
    expect(search(open)).toEqual(open)
    expect(search({ page: ['1', '2'], free: 2 })).toEqual({ page: ['1', '2'], free: 2 })
    for (const open of [7, 'tide', [[{}]], ['{}', '{}']]) expect(search(open)).toEqual(open)
    expect(purchase({ did: '' })).toEqual({ did: '' })
    expect(search(JSON.parse('{"__proto__":1,"constructor":2}'))).toHaveProperty('constructor', 2)
  })

  it('are refused as such, and never as an error of the server', () => {
    const inputs = new Map([['search_assets', INPUTS.search]])
    const code = (params: unknown, method = 'tools/call') => {
      const read = clientMessage({ jsonrpc: '2.0', id: 1, method, params }, inputs)
      return 'refusal' in read ? read.refusal.error.code : read.message
    }
    const empty = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'search_assets', arguments: {} } }
    for (const args of [null, undefined, '', {}])
      expect(code({ name: 'search_assets', arguments: args, _meta: null, task: null })).toEqual(empty)
    for (const args of [7, true, 'tide', [1, 2]]) expect(code({ name: 'search_assets', arguments: args })).toBe(-32602)
    for (const params of [null, undefined, {}, { name: 7 }, { name: null }]) expect(code(params)).toBe(-32602)
    expect(code({}, 'initialize')).toBe(-32602)
    expect(code({ cursor: null, _meta: null }, 'tools/list')).toMatchObject({ params: {} })
    for (const message of [null, 7, 'x', [], {}, { jsonrpc: '2.0', id: {}, method: 1 }])
      expect(clientMessage(message, inputs)).toMatchObject({ refusal: { id: null, error: { code: -32600 } } })
  })
})
