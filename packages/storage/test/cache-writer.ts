import { createHash, randomBytes } from 'node:crypto'
import { BlockCache } from '../src/cache/block-cache.js'

// Stores random blocks in the cache in a folder for as long as it runs, and says so after the first ones.

const [folder = '', size = '', writers = ''] = process.argv.slice(2)
const cache = new BlockCache({ folder, size: Number(size), writers: Number(writers), shards: 1 })
for (let stored = 0; ; stored++) {
  const block = randomBytes(300_000)
  cache.put(Buffer.concat([Buffer.from('1220', 'hex'), createHash('sha256').update(block).digest()]), block)
  await cache.settled()
  if (stored === 20) process.stdout.write('writing\n')
}
