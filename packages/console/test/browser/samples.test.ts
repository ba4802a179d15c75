import { deflateSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { NO_TROUBLE } from '../../../../test/helpers/browser.js'
import { PARQUET } from '../../../../test/helpers/parquet-file.js'
import { clientOf, findings, observed, page, published, useDevPage, visit } from './dev-page.js'

useDevPage()

const MOST = 5_242_880
const section = () => page.locator('section.samples')

/** Publishes an asset with samples, and opens its page. */
async function opened(
  files: readonly [name: string, type: string, content: string | Buffer<ArrayBuffer>][],
): Promise<void> {
  const samples: string[] = []
  for (const [name, type, content] of files)
    samples.push((await clientOf(0).uploadPublic(new File([content], name, { type }))).url)
  const { did } = await published({
    name: 'With samples',
    price: 'free',
    samples: [...samples, 'https://elsewhere.example.org/s.csv'],
  })
  await visit(`asset/${did}`)
  await section().waitFor()
}

/** Opens a sample, and returns the milliseconds that the page spent on it, on a core: a busy machine does not change them. */
async function openSample(name: string): Promise<number> {
  const summary = section().locator('summary', { hasText: name })
  const details = section().locator('details').filter({ hasText: name })
  if ((await details.getAttribute('open')) !== null) await summary.click()
  const devtools = await page.context().newCDPSession(page)
  try {
    await devtools.send('Performance.enable', { timeDomain: 'threadTicks' })
    const spent = async () => {
      const { metrics } = await devtools.send('Performance.getMetrics')
      return 1000 * (metrics.find((metric) => metric.name === 'TaskDuration')?.value ?? Number.NaN)
    }
    const before = await spent()
    await summary.click()
    await details.locator('.sample-table, .sheet, img, p.muted').first().waitFor()
    return (await spent()) - before
  } finally {
    await devtools.detach()
  }
}

/** Returns a PNG with a declared size. */
function png(width: number, height: number): Buffer<ArrayBuffer> {
  const chunk = (type: string, data: Buffer) => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(data.length)
    const body = Buffer.concat([Buffer.from(type), data])
    const crc = Buffer.alloc(4)
    crc.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, crc])
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 0, 0, 0, 0], 8)
  const rows = deflateSync(Buffer.alloc(Math.min(height, 100) * (Math.min(width, 100) + 1), 1))
  const parts = [Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), chunk('IHDR', head), chunk('IDAT', rows)]
  return Buffer.concat([...parts, chunk('IEND', Buffer.alloc(0))])
}

/** Returns a PDF of two pages of a size in points, whose content is a dark square, or a stream. */
function pdf(side: number, content = '0 0 0 rg 20 20 60 60 re f'): Buffer<ArrayBuffer> {
  const page = `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${side} ${side}]/Contents 4 0 R>>`
  const parts = [
    ...['<</Type/Catalog/Pages 2 0 R>>', '<</Type/Pages/Count 2/Kids[3 0 R 5 0 R]>>', page],
    ...[`<</Length ${content.length}>>stream\n${content}\nendstream`, page],
  ]
  // readers find the objects without a table
  const objects = parts.map((part, at) => `${at + 1} 0 obj${part}endobj\n`).join('')
  return Buffer.from(`%PDF-1.4\n${objects}trailer<</Root 1 0 R/Size 6>>\nstartxref\n0\n%%EOF`, 'latin1')
}

function crc32(bytes: Buffer): number {
  let crc = ~0
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return ~crc >>> 0
}

it('shows tables, pictures and texts of this provider, and links to others', async () => {
  const rows = Array.from({ length: 50 }, (_, at) => `${at},"a, ${at}"`).join('\n')
  await opened([
    ['heights.csv', 'text/csv', `hour,note\n${rows}\n`],
    ['days.jsonl', 'application/x-ndjson', '{"day":1,"deep":{"a":[1]}}\nno json\n{"day":2,"more":true}\n'],
    ['chart.png', 'image/png', png(40, 30)],
    ['read me.txt', 'text/plain', 'Plain <b>text</b>'],
    ['stations.parquet', '', Buffer.from(PARQUET)],
    ['notes.pdf', 'application/pdf', pdf(100)],
  ])
  const table = section().locator('table').first()
  await table.getByRole('cell', { name: 'a, 19' }).waitFor()
  await expect.poll(() => table.locator('tbody tr').count()).toBe(20)
  await section().getByText('The first 20 rows.').waitFor()
  for (const name of ['days.jsonl', 'chart.png', 'read me.txt', 'stations.parquet']) await openSample(name)
  await section().getByRole('columnheader', { name: 'deep' }).waitFor()
  await section().getByText('Plain <b>text</b>').waitFor()
  await section().getByText('3 rows, 6 columns.').waitFor()
  await section().getByRole('row', { name: 'height double -2.25 3 0' }).waitFor()
  await section().locator('summary', { hasText: 'notes.pdf' }).click()
  await section().getByText('The first of 2 pages.').waitFor()
  const drawn = section()
    .locator('canvas')
    .evaluate((canvas: HTMLCanvasElement) => {
      const at = (x: number, y: number) => [...(canvas.getContext('2d')?.getImageData(x, y, 1, 1).data ?? [])]
      return [canvas.width, canvas.height, at(100, 100), at(10, 10)]
    })
  expect(await drawn).toEqual([200, 200, [0, 0, 0, 255], [255, 255, 255, 255]])
  const picture = section().locator('img')
  expect(await picture.evaluate((one: HTMLImageElement) => [one.naturalWidth, one.naturalHeight])).toEqual([40, 30])
  const link = section().getByRole('link', { name: 's.csv' })
  expect(await link.getAttribute('rel')).toBe('nofollow noopener noreferrer')
  await section().getByText('(elsewhere.example.org)').waitFor()
  expect(await findings()).toEqual([])
  expect(observed.trouble).toEqual(NO_TROUBLE)
})

it('stays quick with hostile samples, and runs nothing in them', async () => {
  await opened([
    ['one-line.csv', 'text/csv', 'x'.repeat(MOST)],
    ['columns.csv', 'text/csv', `${','.repeat(1_000_000)}\n`.repeat(3)],
    ['quotes.csv', 'text/csv', '"a"b,'.repeat(MOST / 5)],
    ['invisible.csv', 'text/csv', '\u202e\u0000,'.repeat(500_000)],
    ['deep.jsonl', 'application/x-ndjson', '['.repeat(MOST)],
    ['marks.txt', 'text/plain', '\u202e'.repeat(1_000_000)],
    [
      'broken.txt',
      'text/plain',
      Buffer.from([0xff, 0xfe, 0x00, 0x41, 0xc3, ...Buffer.from('<script>alert(1)</script>')]),
    ],
    ['bomb.png', 'image/png', png(60_000, 60_000)],
    ['page.html', 'text/html', '<script>globalThis.ran = true</script>'],
  ])
  // tens of milliseconds each
  for (const name of [
    'one-line.csv',
    'columns.csv',
    'quotes.csv',
    'invisible.csv',
    'deep.jsonl',
    'marks.txt',
    'bomb.png',
    'page.html',
  ])
    expect(await openSample(name), name).toBeLessThan(2_000)
  await openSample('broken.txt')
  await section().getByText('<script>alert(1)</script>').waitFor()
  await section().getByText('The picture is too large to be shown.').waitFor()
  expect(await section().locator('img').count()).toBe(0)
  expect(await page.evaluate(() => 'ran' in globalThis)).toBe(false)
  expect(await page.locator('th').count()).toBeLessThanOrEqual(6 * 30)
  expect(await findings()).toEqual([])
  expect(observed.trouble).toEqual(NO_TROUBLE)
})

it('draws hostile PDFs within bounds, or says that it cannot', async () => {
  await opened([
    ['huge.pdf', 'application/pdf', pdf(1e9)],
    ['shapes.pdf', 'application/pdf', pdf(100, '0 0 100 100 re f '.repeat(20_000))],
    ['broken.pdf', 'application/pdf', Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(100_000, '<<[')])],
  ])
  for (const [name, seen] of [
    ['huge.pdf', 'canvas:visible'],
    ['shapes.pdf', 'canvas:visible'],
    ['broken.pdf', 'p:text("cannot show this kind of file")'],
  ] as const) {
    const details = section().locator('details').filter({ hasText: name })
    // the first one is open
    if ((await details.getAttribute('open')) === null) await details.locator('summary').click()
    await details.locator(seen).waitFor()
  }
  expect(await findings()).toEqual([])
  expect(observed.trouble).toEqual(NO_TROUBLE)
})
