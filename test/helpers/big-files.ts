import { truncateSync } from 'node:fs'
import { join } from 'node:path'
import { S3_KEYS, startFtp, startS3 } from './backends.js'
import { IpfsGateway } from './ipfs-gateway.js'
import { startPostgres } from './postgres-database.js'
import { StorageServer } from './storage-server.js'
import { Turnstile } from './turnstile.js'

/** One mebibyte in bytes. */
export const MIB = 1024 * 1024
const CHUNK = Buffer.alloc(MIB, 'tide ')
const ZEROS = Buffer.alloc(MIB)

/** A back end whose files are of any size. */
export interface BigFiles {
  /** The proxy in front of it, which counts the service's connections. */
  door: Turnstile
  /** Settings that the service needs for it. */
  settings?: NodeJS.ProcessEnv
  /** The storage object of a file of this size. */
  file(mebibytes: number): Promise<object>
  /** Gives all of its files this size, where it has only one: `file` does the same. */
  resize?(mebibytes: number): void
  /** What precedes the content; the content repeats `mebibyte`. */
  head?: string
  mebibyte: Buffer
  /** Whether connections are kept alive after an aborted transfer. */
  kept?: boolean
  close(): Promise<unknown>
}

/** Real back ends of every kind that can hold a file of any size. */
export const BIG_FILES: Record<string, () => Promise<BigFiles>> = {
  async url() {
    const { server, door } = await endless('/file')
    const url = `http://127.0.0.1:${door.port}/file`
    const file = async (mebibytes: number) => ({ type: 'url', url: `${url}?mebibytes=${mebibytes}`, method: 'GET' })
    return { door, file, mebibyte: CHUNK, close: () => server.close() }
  },

  async arweave() {
    const id = 'a'.repeat(43)
    const size = { mebibytes: 0 }
    const { server, door } = await endless(`/${id}`, size)
    const settings = { ARWEAVE_GATEWAY: `http://127.0.0.1:${door.port}` }
    const resize = (mebibytes: number) => {
      size.mebibytes = mebibytes
    }
    const file = async (mebibytes: number) => {
      resize(mebibytes)
      return { type: 'arweave', transactionId: id }
    }
    return { door, settings, file, resize, mebibyte: CHUNK, close: () => server.close() }
  },

  async ipfs() {
    const gateway = await IpfsGateway.start()
    const door = await Turnstile.before(gateway.port)
    const file = async (mebibytes: number) => ({ type: 'ipfs', hash: (await gateway.add(repeated(mebibytes))).cid })
    const settings = { IPFS_GATEWAY: `http://127.0.0.1:${door.port}` }
    return { door, settings, file, mebibyte: CHUNK, kept: true, close: () => gateway.close() }
  },

  async s3() {
    const { port, folder, close } = await startS3('tides', 'big', Buffer.alloc(1))
    const door = await Turnstile.before(port)
    const resize = (mebibytes: number) => truncateSync(join(folder, 'tides', 'big._S3rver_object'), mebibytes * MIB)
    const file = async (mebibytes: number) => {
      resize(mebibytes)
      return { type: 's3', endpoint: `http://127.0.0.1:${door.port}`, bucket: 'tides', key: 'big', ...S3_KEYS }
    }
    return { door, file, resize, mebibyte: ZEROS, close }
  },

  async ftp() {
    const { port, folder, close } = await startFtp('big', Buffer.alloc(1))
    const door = await Turnstile.before(port)
    const resize = (mebibytes: number) => truncateSync(join(folder, 'big'), mebibytes * MIB)
    const file = async (mebibytes: number) => {
      resize(mebibytes)
      return { type: 'ftp', url: `ftp://tide:${encodeURIComponent('pässword')}@127.0.0.1:${door.port}/big` }
    }
    return { door, file, resize, mebibyte: ZEROS, close }
  },

  async sql() {
    const postgres = await startPostgres()
    const door = await Turnstile.before(postgres.port)
    const url = postgres.url().replace(`:${postgres.port}/`, `:${door.port}/`)
    // a row is 64 KiB, including the newline
    const query = (rows: number) => `SELECT repeat('x', 65535) AS line FROM generate_series(1, ${rows})`
    const file = async (mebibytes: number) => ({ type: 'sql', url, query: query(mebibytes * 16) })
    const settings = { SQL_MAX_BYTES: String(8192 * MIB), SQL_TIMEOUT: '300000' }
    const mebibyte = Buffer.from(`${'x'.repeat(65_535)}\n`.repeat(16))
    return { door, settings, file, head: 'line\n', mebibyte, close: postgres.close }
  },
}

/** An HTTP storage with a file at one path, of the size in the query, or else the current `size`. */
async function endless(
  path: string,
  size?: { mebibytes: number },
): Promise<{ server: StorageServer; door: Turnstile }> {
  const server = await StorageServer.start()
  server.on(path, (request, response) => {
    const asked = new URL(request.url as string, server.origin).searchParams.get('mebibytes')
    const mebibytes = Number(asked ?? size?.mebibytes)
    response.writeHead(200, { 'content-length': mebibytes * MIB })
    if (request.method === 'HEAD') return void response.end()
    let sent = 0
    const more = () => {
      while (sent < mebibytes) {
        sent += 1
        if (!response.write(CHUNK)) return void response.once('drain', more)
      }
      response.end()
    }
    more()
  })
  return { server, door: await Turnstile.before(Number(new URL(server.origin).port)) }
}

async function* repeated(mebibytes: number): AsyncGenerator<Uint8Array> {
  for (let sent = 0; sent < mebibytes; sent++) yield CHUNK
}
