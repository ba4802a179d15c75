/** How a node refuses a call: with a JSON-RPC error, or the whole request with an HTTP status. */
export type Refusal = { code: number; message: string; data?: unknown } | { status: number }

/** How providers and node software refuse a request that matches too many logs, in their own words and codes. */
export const TOO_MUCH = {
  // https://github.com/ethers-io/ethers.js/issues/4703
  Infura: {
    code: -32005,
    message: 'query returned more than 10000 results. Try with this block range [0xBDE5F8, 0x102DBCC].',
    data: { from: '0xBDE5F8', limit: 10000, to: '0x102DBCC' },
  },
  // https://github.com/ethers-io/ethers.js/issues/4703
  Alchemy: {
    code: -32602,
    message:
      'Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit on the response size, or you can request any block range with a cap of 10K logs in the response. Based on your parameters and the response size limit, this block range should work: [0x0, 0xd043b8]',
  },
  // https://github.com/foundry-rs/foundry/issues/12687
  reth: { code: -32602, message: 'query exceeds max results 20000, retry with the range 23879634-23879696' },
  // Nethermind.JsonRpc.Test, EthRpcModuleTests
  Nethermind: { code: -32005, message: 'Too many logs requested. Max logs per response is 10000.' },
  // go-ethereum, rpc/errors.go: for the calls after it in a batch
  'go-ethereum': { code: -32003, message: 'response too large' },
  // https://github.com/ChainSafe/forest/issues/7024
  jsonrpsee: { code: -32008, message: 'Response is too big', data: 'Exceeded max limit of 67108864' },
  // https://www.quicknode.com/docs/ethereum/error-references
  'a gateway': { status: 413 },
} satisfies Record<string, Refusal>

/** An unsupported method, in the words of go-ethereum. */
export const NO_METHOD: Refusal = {
  code: -32601,
  message: 'the method eth_getBlockReceipts does not exist/is not available',
}
