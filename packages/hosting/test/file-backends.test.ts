import { readdirSync, rmSync } from 'node:fs'
import { newFolder } from '../../../test/helpers/cleanup.js'
import { fileBackendSuite } from '../../../test/helpers/file-backend-suite.js'
import { startBucket } from '../../../test/helpers/s3-bucket.js'
import { sized } from '../../../test/helpers/sizes.js'
import { HOSTING_LIMITS } from '../src/limits.js'
import { LocalBackend } from '../src/local/local-backend.js'
import { S3Backend } from '../src/s3/s3-backend.js'

/** With this, the largest file is larger than what is synced at a time. */
fileBackendSuite('local', 8_388_608, async () => {
  const folder = newFolder()
  return {
    open: () => new LocalBackend(folder),
    left: () => readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('/')),
    close: async () => rmSync(folder, { recursive: true }),
  }
})

/** Smaller than S3 takes, whose own size packages/provider/test/hosting/s3.test.ts has. */
const PART = sized(1_048_576, HOSTING_LIMITS.hosting.s3Part)

fileBackendSuite('s3', PART, async () => {
  const server = await startBucket(PART)
  return {
    open: () => new S3Backend({ account: server.account, prefix: 'hosted/', part: PART }),
    left: () => [...server.keys(), ...server.uploads()],
    close: () => server.close(),
  }
})
