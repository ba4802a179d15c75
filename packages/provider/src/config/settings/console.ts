import * as parse from '../parsers/index.js'
import { setting } from '../setting.js'

/** The console, the web page of the service, and the tools of agents. */
export const CONSOLE = {
  CONSOLE: setting({
    parse: parse.boolean,
    default: false,
    doc: 'Serve the console, a web page to search, buy, download and publish with, at /console/, and lead browsers there that ask for /.',
  }),
  CONSOLE_RPC_URLS: setting({
    parse: parse.publicNodes,
    doc: 'JSON-RPC URLs that the console may ask from the browser, as JSON by chain id. Everybody can read them: never name a node here whose URL holds a key. Default: none; the console then asks the wallet of its user.',
    example: '{"11155111":"https://rpc.example.org"}',
  }),
  MCP: setting({
    parse: parse.boolean,
    default: false,
    doc: 'Offer agents the tools of the Model Context Protocol at /mcp: search, describe, quote, preview, orders and download links. They pay nothing.',
  }),
} as const
