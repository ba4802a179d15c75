import { randomBytes } from 'node:crypto'
import type { Benchmark } from './lib/benchmark.js'
import type { Load } from './lib/load.js'
import { send } from './lib/processes.js'
import { median, quantile, type Row, report, rounded, spread } from './lib/report.js'
import { type Consumer, downloadQuery, portOf, raw, Stage, signedDownload, signedToken } from './lib/stage.js'

/** A measured request, and its baseline. */
interface Case {
  name: string
  /** Returns the requests of one connection, which are sent in turn: `count` of them if each must be unique. */
  requests(consumer: Consumer, count: number): string[]
  against: 'framework' | 'proxy'
  baseline: string
}

/** Measures throughput and latency of every route against a bare server with the same I/O. */
export const requests: Benchmark = async (options) => {
  const { smoke, only } = options
  const connections = smoke ? [2] : [1, 32, 256]
  const rounds = smoke ? 1 : 5
  const stage = await Stage.start(options)
  const { service, baseline } = stage
  const rows: Row[] = []
  const bursts: Row[] = []
  try {
    const asset = await stage.publish(1024)
    const consumers = await stage.consumers(asset, Math.max(...connections))
    const { chainId } = stage.world.network
    const query = (consumer: Consumer) => new URLSearchParams(downloadQuery(asset, consumer)).toString()
    const tokens = new Map<Consumer, string>()
    for (const consumer of consumers) {
      const response = await fetch(`${service.url}/api/services/createAuthToken?${signedToken(consumer)}`)
      tokens.set(consumer, ((await response.json()) as { token: string }).token)
    }
    const body = randomBytes(250).toString('hex')
    const octets = { 'content-type': 'application/octet-stream' }
    const file = JSON.stringify({ did: asset.did, serviceId: asset.ddo.services[0]?.id })
    const json = raw('GET', '/json')
    const many = (make: () => string, count: number) => Array.from({ length: count }, make)
    const cases: Case[] = [
      {
        name: 'nonce',
        requests: ({ key }) => [raw('GET', `/api/services/nonce?userAddress=${key.address}`)],
        against: 'framework',
        baseline: json,
      },
      {
        name: 'encrypt 500 B',
        requests: () => [raw('POST', `/api/services/encrypt?chainId=${chainId}`, octets, body)],
        against: 'framework',
        baseline: raw('POST', '/octets', octets, body),
      },
      {
        name: 'fileinfo',
        requests: () => [raw('POST', '/api/services/fileinfo', { 'content-type': 'application/json' }, file)],
        against: 'proxy',
        baseline: raw('HEAD', '/1024'),
      },
      {
        name: 'initialize',
        requests: ({ key }) => [
          raw(
            'GET',
            `/api/services/initialize?${new URLSearchParams({ documentId: asset.did, serviceId: asset.ddo.services[0]?.id as string, consumerAddress: key.address })}`,
          ),
        ],
        against: 'framework',
        baseline: json,
      },
      {
        name: 'createAuthToken',
        requests: (consumer, count) =>
          many(() => raw('GET', `/api/services/createAuthToken?${signedToken(consumer)}`), count),
        against: 'framework',
        baseline: json,
      },
      {
        name: 'download 1 KiB, token',
        requests: (consumer) => [
          raw('GET', `/api/services/download?${query(consumer)}`, { authtoken: tokens.get(consumer) as string }),
        ],
        against: 'proxy',
        baseline: raw('GET', '/1024'),
      },
      {
        name: 'download 1 KiB, signed',
        requests: (consumer, count) =>
          many(() => raw('GET', `/api/services/download?${signedDownload(asset, consumer)}`), count),
        against: 'proxy',
        baseline: raw('GET', '/1024'),
      },
    ]
    const at = (url: string): Pick<Load, 'host' | 'port'> => ({ host: '127.0.0.1', port: portOf(url) })
    const wanted = cases.filter(({ name }) => !only || name.includes(only))
    for (const { name, requests, against, baseline: plain } of wanted)
      for (const count of connections) {
        const amount = smoke ? 20 : count === 1 ? 5000 : 24_000
        const own = () => consumers.slice(0, count).map((consumer) => requests(consumer, Math.ceil(amount / count) * 2))
        const target = at(service.url)
        const baselineTarget = at(baseline.message[against])
        const baselineRequests = Array.from({ length: count }, () => [plain])
        // as many as in a round: what is measured is code that has been compiled
        await send({ ...target, requests: own(), amount })
        await send({ ...baselineTarget, requests: baselineRequests, amount })
        const ratios: number[] = []
        const rates: number[] = []
        const latencies: number[] = []
        const firstBytes: [number, number][] = []
        for (let round = 0; round < rounds; round++) {
          const reference = await send({ ...baselineTarget, requests: baselineRequests, amount })
          const measured = await send({ ...target, requests: own(), amount })
          ratios.push(reference.seconds / measured.seconds)
          rates.push(amount / measured.seconds)
          latencies.push(...measured.latencies)
          firstBytes.push([median(measured.firstBytes), median(reference.firstBytes)])
        }
        rows.push({
          route: name,
          connections: count,
          'per second': Math.round(median(rates)),
          'p50 ms': rounded(quantile(latencies, 0.5)),
          'p99 ms': rounded(quantile(latencies, 0.99)),
          against,
          '% of its rate': Math.round(median(ratios) * 100),
          spread: spread(ratios),
          'first byte +ms': rounded(median(firstBytes.map(([own, baseline]) => own - baseline))),
        })
        process.stdout.write('.')
      }
    const count = Math.max(...connections)
    for (const { name, requests, against, baseline: plain } of wanted) {
      const lastByte = async (url: string, own: string[][]) => {
        const { firstBytes } = await send({ ...at(url), requests: own, amount: count, burst: true })
        return Math.max(...firstBytes)
      }
      const lasts: number[] = []
      const ratios: number[] = []
      // the first one warms up
      for (let round = 0; round <= rounds; round++) {
        const reference = await lastByte(baseline.message[against], Array(count).fill([plain]))
        const measured = await lastByte(
          service.url,
          consumers.map((consumer) => requests(consumer, 1)),
        )
        if (round === 0) continue
        lasts.push(measured)
        ratios.push(measured / reference)
      }
      bursts.push({
        route: name,
        connections: count,
        'last first byte ms': Math.round(median(lasts)),
        against,
        'of its time': rounded(median(ratios), 1),
        spread: spread(ratios),
      })
      process.stdout.write('.')
    }
  } finally {
    await stage.close()
  }
  report('requests', 'Requests per second, beside a bare server with the same input and output', rows, options)
  report('requests-burst', 'Connections that are opened at once, each with a request', bursts, options)
}
