import type { LookupAddress } from 'node:dns'
import { open, stat } from 'node:fs/promises'
import { isIP } from 'node:net'
import { STORAGE_LIMITS } from '../../limits.js'

/** The names of the hosts file, which Node's asynchronous resolver ignores. */
export class HostsFile {
  private names = new Map<string, LookupAddress[]>()
  /** Identifies the last content. */
  private version = ''
  private checkedAt = Number.NEGATIVE_INFINITY
  private firstRead: Promise<void> | undefined

  /** `refreshInterval` in milliseconds. */
  constructor(
    private readonly path: string = systemHostsFile(),
    private readonly refreshInterval: number = STORAGE_LIMITS.dns.hostsFileRefresh,
  ) {}

  /**
   * Returns the addresses of a name (in lower case); undefined if there are none. Waits only for the first read. Later reads are
   * in the background, so that a slow file system delays nothing.
   */
  async find(name: string): Promise<LookupAddress[] | undefined> {
    if (performance.now() - this.checkedAt >= this.refreshInterval) {
      this.checkedAt = performance.now()
      const refreshed = this.refresh()
      this.firstRead ??= refreshed
    }
    await this.firstRead
    return this.names.get(name)
  }

  /** Reads the file if it has changed. An unreadable file counts as empty. */
  private async refresh(): Promise<void> {
    try {
      const { mtimeMs, size, ino } = await stat(this.path)
      const version = `${mtimeMs}:${size}:${ino}`
      if (version === this.version) return
      this.names = parseHosts(await readStart(this.path))
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

/** Reads the complete lines at the start of a file. A truncated line could name another host. */
async function readStart(path: string): Promise<string> {
  const file = await open(path, 'r')
  try {
    const buffer = Buffer.alloc(STORAGE_LIMITS.dns.hostsFile)
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0)
    const text = buffer.toString('utf8', 0, bytesRead)
    return bytesRead < buffer.length ? text : text.slice(0, text.lastIndexOf('\n') + 1)
  } finally {
    await file.close()
  }
}

/** Parses names to addresses, IPv4 first. Skips invalid lines, like the system. */
export function parseHosts(text: string): Map<string, LookupAddress[]> {
  const names = new Map<string, LookupAddress[]>()
  for (const line of text.split('\n')) {
    const [address = '', ...hosts] = line.replace(/#.*/, '').trim().split(/\s+/)
    const family = isIP(address)
    if (family === 0) continue
    for (const host of hosts) {
      const name = host.toLowerCase().replace(/\.$/, '')
      const addresses = names.get(name) ?? []
      if (addresses.length < 2 * STORAGE_LIMITS.dns.addresses) names.set(name, [...addresses, { address, family }])
    }
  }
  for (const addresses of names.values()) addresses.sort((a, b) => a.family - b.family)
  return names
}
