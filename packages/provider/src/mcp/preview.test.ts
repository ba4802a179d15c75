import { type Context, createContext } from '@tidegate/client'
import { describe, expect, it } from 'vitest'
import { toolResult } from './answers.js'
import { preview } from './preview.js'

const DID = `did:op:${'0'.repeat(64)}`
const SIGNAL = new AbortController().signal
const PUBLIC = '/api/services/public/abc-1'

/** A context whose asset has links, and whose service has one file for all of them. */
function contextOf(links: unknown, content: Uint8Array, type = 'text/csv') {
  const requested: string[] = []
  const api = {
    get: async () => ({ metadata: { links } }),
    send: async ({ path, headers }: { path: string; headers: Record<string, string> }) => {
      requested.push(path)
      const last = Number(headers.range?.split('-')[1])
      const part = content.subarray(0, last + 1)
      const range = { 'content-range': `bytes 0-${part.length - 1}/${content.length}`, 'content-type': type }
      return new Response(new Uint8Array(part), { status: 206, headers: range })
    },
  }
  const context: Context = { ...createContext({ url: 'http://localhost' }), api: api as never }
  return {
    context,
    requested,
    show: async (sample?: number) => (await preview(context, { did: DID, sample }, SIGNAL)).result,
  }
}

describe('preview', () => {
  it('shows a short text as a whole', async () => {
    const { show, requested } = contextOf([`${PUBLIC}/a%20b.csv`], Buffer.from('x,\u202ey\n'))
    expect(await show()).toEqual({
      ...{ did: DID, sample: 0, sampleCount: 1, kind: 'text', contentType: 'text/csv', size: 6 + 1, cut: false },
      untrusted: { name: 'a b.csv', text: 'x,y\n' },
    })
    expect(requested).toEqual([`${PUBLIC}/a%20b.csv`])
  })

  it('cuts a long text, also within a character, so that the result stays small', async () => {
    const { show, context } = contextOf({ first: `${PUBLIC}/a.txt` }, Buffer.from(`a${'"ü\n'.repeat(20_000)}`))
    const result = await show()
    expect(result).toMatchObject({ kind: 'text', size: 80_001, cut: true })
    const { isError, structuredContent } = toolResult(await preview(context, { did: DID }, SIGNAL))
    expect(isError).toBeFalsy()
    expect(JSON.stringify(structuredContent).length).toBeLessThan(32_000)
  })

  it('tells the type of other files', async () => {
    const { show } = contextOf([`${PUBLIC}/a.png`], Buffer.from([137, 80, 78, 71, 0]), 'image/png; x=<b>')
    expect(await show()).toMatchObject({ kind: 'binary', contentType: 'image/png', untrusted: { name: 'a.png' } })
  })

  it('requests nothing but public files of this provider (threat 114)', async () => {
    const links = [
      ...[
        'https://a.example/x',
        `${PUBLIC}/../../root`,
        `${PUBLIC}/..`,
        `${PUBLIC}/%2e%2e`,
        `${PUBLIC}/..\\..\\..\\..\\live`,
        `https://a.example${PUBLIC}/a.txt`,
        `${PUBLIC}/a?x=1`,
        '/api/services/nonce',
        7,
        null,
      ],
      { url: `${PUBLIC}/a.txt` },
    ]
    const { show, requested } = contextOf(links, Buffer.from('x'))
    await expect(show()).rejects.toMatchObject({ code: 'NO_SAMPLE' })
    expect(requested).toEqual([])
  })
})
