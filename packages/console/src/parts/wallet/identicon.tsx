/** A picture of an address, the same on all pages: five by five mirrored squares in its two colours. */
export function Identicon({ address }: { address: string }) {
  const digits = [...address.toLowerCase().replace(/^0x/, '')].map((digit) => Number.parseInt(digit, 16) || 0)
  const hue = ((digits[0] ?? 0) * 16 + (digits[1] ?? 0)) * 1.41
  const squares: string[] = []
  for (let column = 0; column < 3; column++)
    for (let row = 0; row < 5; row++) {
      if (((digits[4 + column * 5 + row] ?? 0) & 1) === 0) continue
      for (const x of new Set([column, 4 - column])) squares.push(`M${x} ${row}h1v1h-1z`)
    }
  return (
    <svg class="identicon" viewBox="-0.6 -0.6 6.2 6.2" aria-hidden="true" focusable="false">
      <rect x="-0.6" y="-0.6" width="6.2" height="6.2" fill={`hsl(${hue} 45% 88%)`} />
      <path d={squares.join('')} fill={`hsl(${hue} 60% 38%)`} />
    </svg>
  )
}
