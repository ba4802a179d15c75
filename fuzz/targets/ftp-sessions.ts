import fc from 'fast-check'
import { StorageError } from '../../src/errors.js'
import { HostileServer } from '../../test/helpers/hostile-server.js'
import { testEgress, testRegistry } from '../../test/helpers/storage-tools.js'
import { mutatedText } from '../lib/mutate.js'
import { oddText } from '../lib/odd.js'
import { holds, target } from '../lib/target.js'

/** Replies of an honest server, in the order in which they come. */
const REPLIES = [
  '220 hello',
  '200 fine',
  '331 password',
  '230 in',
  '211-Features:\r\n SIZE\r\n REST STREAM\r\n211 End',
  '200 fine',
]
const THEN = [
  '200 fine',
  '200 fine',
  '213 20',
  '229 Entering Extended Passive Mode (|||PORT|)',
  '150 here it comes\r\n226 done',
]

const data = await HostileServer.start((socket) => void socket.end('0123456789'.repeat(2)))
let script: string[] = []
const control = await HostileServer.start((socket) => {
  const left = [...script]
  const say = () => {
    const next = left.shift()
    if (next === undefined) socket.end()
    else socket.write(`${next.replace('PORT', String(data.port))}\r\n`)
  }
  say()
  socket.on('data', say)
})
const limits = { connectTimeout: 300, responseTimeout: 300, stallTimeout: 300 }
const registry = testRegistry(testEgress(limits))

/** What an FTP server says, from its greeting to the end of a transfer. */
export default target({
  runs: 25,
  rigid: true,
  inputs: fc.tuple(
    ...[...REPLIES, ...THEN].map((reply) =>
      fc.oneof(
        { arbitrary: fc.constant(reply), weight: 30 },
        { arbitrary: mutatedText(fc.constant(reply), 2), weight: 2 },
        { arbitrary: oddText(), weight: 1 },
      ),
    ),
  ),
  async read(replies) {
    script = replies.map(String)
    const file = registry.file({ type: 'ftp', url: `ftp://tide:secret@127.0.0.1:${control.port}/a.csv` })
    const asking = { signal: AbortSignal.timeout(2000), budget: 'paid' } as const
    const { contentLength } = await file.describe(asking)
    holds(contentLength === undefined || Number.isSafeInteger(contentLength), 'a size is one')
    const opened = await file.open({ ...asking, method: 'GET', headers: {} })
    let length = 0
    const whole = await (async () => {
      for await (const chunk of opened.body) length += (chunk as Buffer).length
    })().then(
      () => true,
      () => false,
    )
    holds(!whole || length === Number(opened.headers['content-length']), 'a transfer that ends is whole')
  },
  refuses: (error) => error instanceof StorageError,
})
