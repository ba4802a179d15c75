import { BlockList, isIP, type Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { PROVIDER_LIMITS } from '../../limits.js'
import type { Connections } from '../lifetime.js'
import { networkOf } from './address.js'

const { leastShare, evictions } = PROVIDER_LIMITS.http

/** The open connections of an address, oldest first. */
interface Held {
  /** Connections without a whole head so far. */
  silent: Set<Socket>
  others: Set<Socket>
}

export interface ShareOptions {
  /** Maximum connections of this process. */
  max: number
  /** Addresses and networks whose connections do not count: proxies, which bring those of many clients. */
  trusted: readonly string[]
}

/**
 * Above half of the maximum, no address (IPv6: /64) keeps more than a quarter of it. Its silent connections are closed
 * first, then idle ones; a new one is closed if all others have requests in flight.
 */
export function limitShares(app: FastifyInstance, { max, trusted }: ShareOptions, connections: Connections): void {
  const share = Math.max(leastShare, Math.floor(max / 4))
  const held = new Map<string, Held>()
  /** Addresses with more than a share: three at most. */
  const over = new Set<string>()
  const proxies = blockList(trusted)
  const sizeOf = ({ silent, others }: Held) => silent.size + others.size
  const forget = (network: string, socket: Socket) => {
    const own = held.get(network)
    if (!own) return
    own.silent.delete(socket)
    own.others.delete(socket)
    if (sizeOf(own) <= share) over.delete(network)
    if (sizeOf(own) === 0) held.delete(network)
  }
  const evict = (network: string, own: Held) => {
    const isIdle = (socket: Socket) => connections.inFlightOn(socket) === 0
    const [silent] = own.silent
    const chosen = own.silent.size > 1 ? silent : (firstOf(own.others, isIdle) ?? silent)
    if (!chosen) return false
    forget(network, chosen)
    chosen.destroy()
    return true
  }
  app.server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket
    if (remoteAddress === undefined || isIn(proxies, remoteAddress)) return
    const network = networkOf(remoteAddress)
    const own = held.get(network) ?? { silent: new Set(), others: new Set() }
    held.set(network, own)
    own.silent.add(socket)
    if (sizeOf(own) > share) over.add(network)
    socket.once('close', () => forget(network, socket))
    if (connections.count <= max / 2) return
    for (const one of over) {
      const theirs = held.get(one) as Held
      for (let left = evictions; left > 0 && sizeOf(theirs) > share && evict(one, theirs); left--);
    }
  })
  app.server.on('request', ({ socket }) => {
    const own = held.get(networkOf(socket.remoteAddress))
    if (own?.silent.delete(socket)) own.others.add(socket)
  })
}

/** Returns the first of some sockets that passes a test, among so many that a new connection may look at. */
function firstOf(sockets: Set<Socket>, test: (socket: Socket) => boolean): Socket | undefined {
  let left = evictions
  for (const socket of sockets) {
    if (test(socket)) return socket
    if (--left === 0) return undefined
  }
  return undefined
}

function blockList(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', prefix] = network.split('/')
    const type = address.includes(':') ? 'ipv6' : 'ipv4'
    if (prefix === undefined) list.addAddress(address, type)
    else list.addSubnet(address, Number(prefix), type)
  }
  return list
}

function isIn(list: BlockList, address: string): boolean {
  const plain = address.replace(/%.*$/, '')
  return isIP(plain) !== 0 && list.check(plain, plain.includes(':') ? 'ipv6' : 'ipv4')
}
