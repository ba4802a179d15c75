import { Readable } from 'node:stream'
import { STDIO_DEFAULT_MAX_BUFFER_SIZE } from '@modelcontextprotocol/sdk/shared/stdio.js'
import { printJson } from '@tidegate/common/terminal'
import { clientMessage, type ToolServer } from '@tidegate/provider/mcp'
import { PARSE_ERROR } from '../../constants.js'

/** JSON-RPC's answer to a line that is not JSON. */
const NO_JSON = { jsonrpc: '2.0', id: null, error: { code: PARSE_ERROR, message: 'A message is one line of JSON.' } }

/** Returns the messages on standard input, read as those over HTTP. Answers messages that the server cannot take. */
export function clientMessages({ inputs }: ToolServer): Readable {
  return Readable.from(messages(), { objectMode: false })

  async function* messages() {
    let rest = ''
    for await (const part of process.stdin.setEncoding('utf8')) {
      const lines = (rest + part).split('\n')
      rest = lines.pop() as string
      for (const line of lines) {
        const read = line.trim() === '' ? undefined : messageOf(line)
        if (read && 'message' in read) yield `${JSON.stringify(read.message)}\n`
        else if (read) printJson(read.refusal)
      }
      // the transport ends on a line of this length
      if (rest.length > STDIO_DEFAULT_MAX_BUFFER_SIZE) yield rest
    }
  }

  function messageOf(line: string) {
    try {
      return clientMessage(JSON.parse(line), inputs)
    } catch {
      return { refusal: NO_JSON }
    }
  }
}
