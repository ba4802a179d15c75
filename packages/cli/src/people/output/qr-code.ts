/** Modules of the border that readers of QR codes need on a terminal, whose background is rarely white. */
const QUIET = 2

/** Returns lines that draw a text as a QR code. None without a terminal, or if the text is too long for a code. */
export async function qrLines(text: string): Promise<string[]> {
  const { isTTY, columns } = process.stderr
  if (!isTTY) return []
  const { renderUnicodeCompact } = await import('uqr')
  let lines: string[]
  try {
    lines = renderUnicodeCompact(text, { ecc: 'L', border: QUIET }).split('\n')
  } catch {
    return []
  }
  const width = lines[0]?.length ?? 0
  // a broken line breaks the code
  if (width > columns) return [`(Its QR code needs a window of ${width} columns.)`]
  return ['Or scan it with the wallet:', ...lines]
}
