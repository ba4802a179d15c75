import { useEffect, useState } from 'preact/hooks'

/** Least pixels of the code, and of a module: cameras read smaller ones badly. */
const LEAST = { code: 256, module: 3 }
/** Modules of the white border that readers of QR codes need. */
const QUIET = 4

interface QrCodeProps {
  value: string
  /** Name for people who do not see it. */
  label: string
  /** Replaces the code of a value that is too long. */
  otherwise: string
}

/** A QR code, dark on white in all colours of the page. It appears when its library has loaded. */
export function QrCode({ value, label, otherwise }: QrCodeProps) {
  const [modules, setModules] = useState<boolean[][] | 'none'>([])
  useEffect(() => {
    import('uqr')
      .then(({ encode }) => setModules(encode(value, { ecc: 'M', border: QUIET }).data))
      .catch(() => setModules('none'))
  }, [value])
  if (modules === 'none') return <p>{otherwise}</p>
  const size = modules.length
  if (size === 0) return null
  const width = Math.max(LEAST.code, size * LEAST.module)
  const path = modules.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
  return (
    <svg
      class="qr-code"
      width={width}
      height={width}
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shape-rendering="crispEdges"
    >
      <rect width={size} height={size} fill="#ffffff" />
      <path d={path} fill="#000000" />
    </svg>
  )
}
