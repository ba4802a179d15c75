import { createHash, type Hash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type Readable, Transform } from 'node:stream'
import { FileStore } from '@tus/file-store'
import { Server } from '@tus/server'

// The baselines of uploads: the tus server with its own store, in the folder that is named; with `durable` as a second
// argument it also makes the digest of each file, and syncs a part before it is acknowledged.

class DurableStore extends FileStore {
  private readonly hashes = new Map<string, Hash>()

  override async write(readable: Readable, id: string, offset: number): Promise<number> {
    const hash = this.hashes.get(id) ?? createHash('sha256')
    this.hashes.set(id, hash)
    const hashing = new Transform({
      transform(chunk, _encoding, done) {
        hash.update(chunk)
        done(null, chunk)
      },
    })
    const received = await super.write(readable.pipe(hashing), id, offset)
    const file = await open(join(this.directory, id), 'r+')
    await file.sync()
    await file.close()
    return received
  }
}

const [directory = '', kind] = process.argv.slice(2)
const Store = kind === 'durable' ? DurableStore : FileStore
const tus = new Server({ path: '/api/services/uploads', datastore: new Store({ directory }) })
const server = createServer((request, response) => void tus.handle(request, response))
server.requestTimeout = 0
server.listen(0, '127.0.0.1', () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
})
