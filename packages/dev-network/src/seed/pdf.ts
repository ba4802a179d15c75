/** Lines per page of A4, at 12 points. */
const LINES = 48

/** Returns a PDF 1.4 with lines of text on as many pages as needed. The text must be ASCII. */
export function pdf(title: string, lines: readonly string[]): Buffer {
  const pages = Array.from({ length: Math.ceil(lines.length / LINES) }, (_, at) =>
    lines.slice(at * LINES, (at + 1) * LINES),
  )
  // objects 1 to 3: catalogue, list of pages and font; then two per page
  const pageNumber = (at: number) => 4 + 2 * at
  const objects = [
    `<< /Type /Catalog /Pages 2 0 R >>`,
    `<< /Type /Pages /Kids [${pages.map((_, at) => `${pageNumber(at)} 0 R`).join(' ')}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...pages.flatMap((text, at) => {
      const content = `BT /F1 11 Tf 15 TL 60 780 Td ${text.map((line) => `(${escaped(line)}) '`).join(' ')} ET`
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${pageNumber(at) + 1} 0 R >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ]
    }),
    `<< /Title (${escaped(title)}) >>`,
  ]
  let text = '%PDF-1.4\n'
  const offsets = objects.map((object, at) => {
    const offset = text.length
    text += `${at + 1} 0 obj\n${object}\nendobj\n`
    return offset
  })
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const size = objects.length + 1
  const trailer = `<< /Size ${size} /Root 1 0 R /Info ${objects.length} 0 R >>`
  return Buffer.from(
    `${text}xref\n0 ${size}\n0000000000 65535 f \n${table}trailer\n${trailer}\nstartxref\n${text.length}\n%%EOF\n`,
    'latin1',
  )
}

const escaped = (text: string) => text.replaceAll(/[\\()]/g, '\\$&')
