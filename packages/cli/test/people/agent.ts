import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { type CallToolResult, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { atEnd } from '../../../../test/helpers/cleanup.js'
import { program } from '../../../../test/helpers/command.js'

/** A structured result, and the code and the text of a refusal. */
type Called = Record<string, unknown> & { refused: string | undefined; text: string }

/**
 * Starts `tidegate mcp` until the test ends, and connects the SDK's own client. `answer` is the user's to each question; without it the client
 * cannot ask.
 */
export async function startAgent(
  args: string[],
  environment: Record<string, string>,
  answer?: () => Promise<'accept' | 'decline'>,
) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...program(), 'mcp', ...args],
    env: { PATH: process.env.PATH as string, ...environment },
    stderr: 'pipe',
  })
  let stderr = ''
  transport.stderr?.on('data', (part) => {
    stderr += part
  })
  const client = new Client({ name: 'test', version: '1' }, { capabilities: answer ? { elicitation: {} } : {} })
  const questions: string[] = []
  if (answer)
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
      questions.push(params.message)
      return { action: await answer(), content: {} }
    })
  await client.connect(transport as never)
  atEnd(() => client.close())
  const call = async (name: string, input: object = {}): Promise<Called> => {
    const request = { name, arguments: { ...input } }
    const called = (await client.callTool(request, undefined, { timeout: 120_000 })) as CallToolResult
    const { text } = (called.content as { text: string }[])[0] ?? { text: '' }
    return { ...called.structuredContent, refused: called.isError ? text.split(':')[0] : undefined, text }
  }
  return { client, call, questions, stderr: () => stderr }
}
