import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LocalPlace } from '../../src/hosting/local-place.js'
import { S3Place } from '../../src/hosting/s3/place.js'
import { placeSuite } from '../helpers/place-suite.js'
import { startBucket } from '../helpers/s3-bucket.js'

placeSuite('local', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-test-'))
  return {
    open: () => new LocalPlace(folder),
    left: () => readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('/')),
    close: async () => rmSync(folder, { recursive: true }),
  }
})

placeSuite('s3', async () => {
  const server = await startBucket()
  return {
    open: () => new S3Place({ account: server.account, prefix: 'hosted/' }),
    left: () => [...server.keys(), ...server.uploads()],
    close: () => server.close(),
  }
})
