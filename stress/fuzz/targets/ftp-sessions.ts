import fc from 'fast-check'
import { StorageError } from '../../../packages/protocol/src/errors.js'
import { HostileServer } from '../../../test/helpers/hostile-server.js'
import { testEgress, testRegistry } from '../../../test/helpers/storage-tools.js'
import { mutatedText } from '../lib/mutate.js'
import { edgeCaseText } from '../lib/odd.js'
import { holds, target } from '../lib/target.js'

/** Replies of a well-behaved server, in order. */
const REPLIES = [
  '220 hello',
  '200 fine',
  '331 password',
  '230 in',
  '211-Features:\r\n SIZE\r\n REST STREAM\r\n211 End',
  '200 fine',
]
const TRANSFER_REPLIES = [
  '200 fine',
  '200 fine',
  '213 20',
  '229 Entering Extended Passive Mode (|||PORT|)',
  '150 here it comes\r\n226 done',
]

const data = await HostileServer.start((socket) => void socket.end('0123456789'.repeat(2)))
let script: string[] = []
const control = await HostileServer.start((socket) => {
  const remaining = [...script]
  const sendNext = () => {
    const next = remaining.shift()
    if (next === undefined) socket.end()
    else socket.write(`${next.replace('PORT', String(data.port))}\r\n`)
  }
  sendNext()
  socket.on('data', sendNext)
})
const limits = { connectTimeout: 300, responseTimeout: 300, stallTimeout: 300 }
const registry = testRegistry(testEgress(limits))

/** Replies of an FTP server, from its greeting to the end of a transfer. */
export default target({
  runs: 25,
  replayVerbatim: true,
  inputs: fc.tuple(
    ...[...REPLIES, ...TRANSFER_REPLIES].map((reply) =>
      fc.oneof(
        { arbitrary: fc.constant(reply), weight: 30 },
        { arbitrary: mutatedText(fc.constant(reply), 2), weight: 2 },
        { arbitrary: edgeCaseText(), weight: 1 },
      ),
    ),
  ),
  async read(replies) {
    script = replies.map(String)
    const file = registry.file({ type: 'ftp', url: `ftp://tide:secret@127.0.0.1:${control.port}/a.csv` })
    const asking = { signal: AbortSignal.timeout(2000), budget: 'paid' } as const
    const { contentLength } = await file.describe(asking)
    holds(contentLength === undefined || Number.isSafeInteger(contentLength), 'a size is a safe integer')
    const opened = await file.open({ ...asking, method: 'GET', headers: {} })
    let length = 0
    const completed = await (async () => {
      for await (const chunk of opened.body) length += (chunk as Buffer).length
    })().then(
      () => true,
      () => false,
    )
    holds(!completed || length === Number(opened.headers['content-length']), 'a transfer that ends is complete')
  },
  isRejection: (error) => error instanceof StorageError,
})
