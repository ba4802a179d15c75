const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']

/** "1.4 MiB": cut, not rounded up. */
export function shownBytes(bytes: number): string {
  let unit = 0
  let value = bytes
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024
    unit += 1
  }
  const cut = unit === 0 || value >= 100 ? Math.floor(value) : Math.floor(value * 10) / 10
  return `${cut} ${UNITS[unit]}`
}

export function exactBytes(bytes: number): string {
  return new Intl.NumberFormat('en').format(bytes)
}
