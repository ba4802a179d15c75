import { describe, expect, it } from 'vitest'
import type { Context } from '../context.js'
import { LIMITS } from '../limits.js'
import { indexedPages } from './indexed-orders.js'

interface Asked {
  query: { bool: { filter: { range?: { timestamp: { lt?: number; gte?: number } } }[] } }
}

/** Returns a context whose index has `count` orders, with `together` orders of each time. */
function indexOf(count: number, { together = 3, form = 'market' } = {}): Context {
  const rows = Array.from({ length: count }, (_, at) => ({
    orderId: `0x${at.toString(16).padStart(64, '0')}`,
    chainId: 1,
    did: `did:op:${'1'.repeat(64)}`,
    datatokenAddress: `0x${'1'.repeat(40)}`,
    consumer: `0x${'2'.repeat(40)}`,
    timestamp: 1_000_000 - Math.floor(at / together),
  }))
  const post = async (_: string, { query }: Asked) => {
    const { lt = Number.POSITIVE_INFINITY, gte = 0 } =
      query.bool.filter.find(({ range }) => range)?.range?.timestamp ?? {}
    const page = rows.filter(({ timestamp }) => timestamp < lt && timestamp >= gte).slice(0, LIMITS.orders)
    if (form === 'enterprise') return [{ results: page, totalResults: count }]
    return page.length > 0 ? [page] : []
  }
  return { api: { post } } as never
}

/** Returns the first page of an index as it answers. */
async function rowsOf({ api }: Context): Promise<unknown[]> {
  const [page] = await api.post<unknown[][]>('', { query: { bool: { filter: [] } } })
  return page as unknown[]
}

async function read(context: Context, options = {}): Promise<string[]> {
  const found: string[] = []
  for await (const page of indexedPages(context, [], options)) found.push(...page.map(({ tx }) => tx))
  return found
}

describe('the pages of orders', () => {
  it.each(['market', 'enterprise'])('have each order once, in the form %s', async (form) => {
    const found = await read(indexOf(2_600, { form }))
    expect(found).toHaveLength(2_600)
    expect(new Set(found).size).toBe(2_600)
    expect(await read(indexOf(0, { form }))).toEqual([])
  })

  it('keep to a period', async () => {
    const period = { since: new Date(999_900_000), until: new Date(1_000_000_000) }
    expect(await read(indexOf(2_600), period)).toHaveLength(300)
  })

  it('do not end in a circle if too many orders have one time', async () => {
    await expect(read(indexOf(1_500, { together: 1_200 }))).rejects.toMatchObject({ code: 'TOO_MANY_ORDERS' })
  })

  it.each([
    ['the same page again', {}],
    ['a negative time', { timestamp: -1 }],
    ['a time that is no number', { timestamp: '1e999' }],
    ['a chain that is none', { chainId: '1x' }],
    ['a DID with control characters', { did: 'did:op:\u001b[2J' }],
    ['a transaction that is none', { orderId: '0x12' }],
    ['no fields', { orderId: [], did: {}, consumer: 5 }],
  ])('do not trust an index with %s', async (_, wrong) => {
    const rows = (await rowsOf(indexOf(LIMITS.orders))).map((row) => ({ ...(row as object), ...wrong }))
    let asked = 0
    const post = async () => {
      asked += 1
      return [rows]
    }
    await expect(read({ api: { post } } as never)).rejects.toMatchObject({ code: 'BAD_ANSWER' })
    expect(asked).toBeLessThan(3)
  })

  it('take no more than a page of a huge answer', async () => {
    const [row] = await rowsOf(indexOf(1))
    const post = async () => [Array.from({ length: 100_000 }, () => row), ...Array.from({ length: 1_000 }, () => [row])]
    await expect(read({ api: { post } } as never)).rejects.toMatchObject({ code: 'TOO_MANY_ORDERS' })
  })
})
