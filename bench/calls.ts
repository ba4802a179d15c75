import { createPublicClient, http } from 'viem'
import { rpcClient } from '../packages/chain/src/rpc/clients.js'
import { startAnvil } from '../packages/dev-network/src/anvil.js'
import type { Benchmark } from './lib/benchmark.js'
import { median, type Row, report, rounded, spread } from './lib/report.js'

/** Measures one call to a node on the same machine: by the service's clients, by the chain library's own, and by fetch alone. */
export const calls: Benchmark = async (options) => {
  const [each, rounds] = options.smoke ? [3, 1] : [1500, 5]
  const anvil = await startAnvil({ port: 0 })
  try {
    const url = anvil.rpcUrl
    const clients = {
      'of the service': rpcClient(new URL(url)),
      'of the service, each call alone': rpcClient(new URL(url), { batch: false }),
      'of the chain library': createPublicClient({
        transport: http(url, { batch: true, retryCount: 0 }),
        cacheTime: 0,
      }),
    }
    const ways: [string, () => Promise<unknown>][] = [
      ['fetch alone', () => fetched(url)],
      ...Object.entries(clients).map(([name, client]) => [name, () => client.getBlockNumber()] as never),
    ]
    const measured = ways.map(([name, call]) => ({ name, call, cpu: [] as number[], time: [] as number[] }))
    // in turns, so that all see the same machine; the first round warms up
    for (let round = 0; round <= rounds; round++)
      for (const { call, cpu, time } of measured) {
        const [used, begun] = [process.cpuUsage(), performance.now()]
        for (let at = 0; at < each; at++) await call()
        const { user, system } = process.cpuUsage(used)
        if (round === 0) continue
        cpu.push((user + system) / 1000 / each)
        time.push((performance.now() - begun) / each)
      }
    const baseline = median(measured[0]?.cpu as number[])
    const rows: Row[] = measured.map(({ name, cpu, time }) => ({
      client: name,
      'CPU ms': rounded(median(cpu)),
      spread: spread(cpu),
      'of fetch': rounded(median(cpu) / baseline),
      ms: rounded(median(time)),
    }))
    report('calls', 'Calls to a node, one after the other', rows, options)
  } finally {
    await anvil.stop()
  }
}

async function fetched(url: string): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber' })
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  return response.json()
}
