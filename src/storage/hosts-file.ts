import type { LookupAddress } from 'node:dns'
import { open, stat } from 'node:fs/promises'
import { isIP } from 'node:net'
import { BOUNDS } from '../bounds.js'

/** The names of a hosts file, which an asynchronous resolver does not know by itself. */
export class HostsFile {
  private names = new Map<string, LookupAddress[]>()
  /** What the file was when it was read. */
  private version = ''
  private lookedAt = Number.NEGATIVE_INFINITY
  private first: Promise<void> | undefined

  /** `age` is the number of milliseconds after which the file is looked at again. */
  constructor(
    private readonly path: string = systemHostsFile(),
    private readonly age: number = BOUNDS.dns.hostsFileAge,
  ) {}

  /**
   * The addresses of a name in lower case; undefined where the file does not hold it. Waits for the file only the first
   * time: later the file is looked at in the background, so that a busy file system does not hold look-ups up.
   */
  async find(name: string): Promise<LookupAddress[] | undefined> {
    if (performance.now() - this.lookedAt >= this.age) {
      this.lookedAt = performance.now()
      const refreshed = this.refresh()
      this.first ??= refreshed
    }
    await this.first
    return this.names.get(name)
  }

  /** Reads the file if it has changed; one that cannot be read holds no names. */
  private async refresh(): Promise<void> {
    try {
      const { mtimeMs, size, ino } = await stat(this.path)
      const version = `${mtimeMs}:${size}:${ino}`
      if (version === this.version) return
      this.names = parseHosts(await beginningOf(this.path))
      this.version = version
    } catch {
      this.names = new Map()
      this.version = ''
    }
  }
}

function systemHostsFile(): string {
  return process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts'
}

/** The whole lines within the first bytes of a file: a line that is cut off would name another host. */
async function beginningOf(path: string): Promise<string> {
  const file = await open(path, 'r')
  try {
    const buffer = Buffer.alloc(BOUNDS.dns.hostsFile)
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0)
    const text = buffer.toString('utf8', 0, bytesRead)
    return bytesRead < buffer.length ? text : text.slice(0, text.lastIndexOf('\n') + 1)
  } finally {
    await file.close()
  }
}

/** Names to addresses, IPv4 first; lines that are not understood are passed over, as the system does. */
export function parseHosts(text: string): Map<string, LookupAddress[]> {
  const names = new Map<string, LookupAddress[]>()
  for (const line of text.split('\n')) {
    const [address = '', ...hosts] = line.replace(/#.*/, '').trim().split(/\s+/)
    const family = isIP(address)
    if (family === 0) continue
    for (const host of hosts) {
      const name = host.toLowerCase().replace(/\.$/, '')
      const known = names.get(name) ?? []
      if (known.length < 2 * BOUNDS.dns.addresses) names.set(name, [...known, { address, family }])
    }
  }
  for (const known of names.values()) known.sort((a, b) => a.family - b.family)
  return names
}
