import { describe, expect, it } from 'vitest'
import { toolResult } from './answers.js'
import { preview, type SampleReader } from './preview.js'

const DID = `did:op:${'0'.repeat(64)}`
const SIGNAL = new AbortController().signal
const PUBLIC = '/api/services/public/abc-1'

/** A reader whose asset has links, and whose service has one file for all of them. */
function readerOf(links: unknown, content: Uint8Array, type = 'text/csv') {
  const requested: string[] = []
  const reader: SampleReader = {
    url: 'http://localhost',
    document: async () => ({ metadata: { links } }),
    publicFile: async (path, bytes) => {
      requested.push(path)
      const part = content.subarray(0, bytes)
      const range = { 'content-range': `bytes 0-${part.length - 1}/${content.length}`, 'content-type': type }
      return new Response(new Uint8Array(part), { status: 206, headers: range })
    },
  }
  return {
    reader,
    requested,
    show: async (sample?: number) => (await preview(reader, { did: DID, sample }, SIGNAL)).result,
  }
}

describe('preview', () => {
  it('shows a short text as a whole', async () => {
    const { show, requested } = readerOf([`${PUBLIC}/a%20b.csv`], Buffer.from('x,\u202ey\n'))
    expect(await show()).toEqual({
      ...{ did: DID, sample: 0, sampleCount: 1, kind: 'text', contentType: 'text/csv', size: 6 + 1, cut: false },
      untrusted: { name: 'a b.csv', text: 'x,y\n' },
    })
    expect(requested).toEqual([`${PUBLIC}/a%20b.csv`])
  })

  it('cuts a long text, also within a character, so that the result stays small', async () => {
    const { show, reader } = readerOf({ first: `${PUBLIC}/a.txt` }, Buffer.from(`a${'"ü\n'.repeat(20_000)}`))
    const result = await show()
    expect(result).toMatchObject({ kind: 'text', size: 80_001, cut: true })
    const { isError, structuredContent } = toolResult(await preview(reader, { did: DID }, SIGNAL))
    expect(isError).toBeFalsy()
    expect(JSON.stringify(structuredContent).length).toBeLessThan(32_000)
  })

  it('tells the type of other files', async () => {
    const { show } = readerOf([`${PUBLIC}/a.png`], Buffer.from([137, 80, 78, 71, 0]), 'image/png; x=<b>')
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
    const { show, requested } = readerOf(links, Buffer.from('x'))
    await expect(show()).rejects.toMatchObject({ code: 'NO_SAMPLE' })
    expect(requested).toEqual([])
  })
})
