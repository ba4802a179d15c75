import { describe, expect, it } from 'vitest'
import { Metrics } from './metrics.js'

/** The series of a metric as a scrape shows them, by name and labels. */
async function scraped(metrics: Metrics, name: string): Promise<Record<string, number>> {
  const lines = (await metrics.registry.metrics()).split('\n').filter((line) => line.startsWith(name))
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]))
}

describe('counts of requests', () => {
  it('are all there at each scrape, also between two of them', async () => {
    const metrics = new Metrics()
    // more than wait to be observed, so that some are before a scrape
    for (let at = 0; at < 3000; at++) {
      metrics.countRequest('GET', '/a', 200, 0.003)
      if (at % 3 === 0) metrics.countRequest('POST', '/b', 404, 20)
    }
    metrics.countRequest('GET', '/a', 500, 0.5)
    for (const scrape of [1, 2]) {
      expect(await scraped(metrics, 'tidegate_http_requests_total'), `scrape ${scrape}`).toEqual({
        'tidegate_http_requests_total{method="GET",route="/a",status="200"}': 3000,
        'tidegate_http_requests_total{method="GET",route="/a",status="500"}': 1,
        'tidegate_http_requests_total{method="POST",route="/b",status="404"}': 1000,
      })
      const durations = await scraped(metrics, 'tidegate_http_request_duration_seconds')
      expect(durations['tidegate_http_request_duration_seconds_bucket{le="0.002",route="/a"}']).toBe(0)
      expect(durations['tidegate_http_request_duration_seconds_bucket{le="0.005",route="/a"}']).toBe(3000)
      expect(durations['tidegate_http_request_duration_seconds_bucket{le="+Inf",route="/a"}']).toBe(3001)
      expect(durations['tidegate_http_request_duration_seconds_sum{route="/a"}']).toBeCloseTo(9.5, 6)
      expect(durations['tidegate_http_request_duration_seconds_count{route="/b"}']).toBe(1000)
    }
    metrics.countRequest('GET', '/a', 200, 0.003)
    const later = await scraped(metrics, 'tidegate_http_request')
    expect(later['tidegate_http_requests_total{method="GET",route="/a",status="200"}']).toBe(3001)
    expect(later['tidegate_http_request_duration_seconds_count{route="/a"}']).toBe(3002)
  })

  it('reach other readers than a scrape as well', async () => {
    const metrics = new Metrics()
    metrics.countRequest('GET', '/a', 200, 1)
    metrics.countDownload('url', true, 5)
    metrics.countDownload('url', false, 2)
    metrics.countUpstream('timeout', 'gateway')
    const { values } = await metrics.requests.get()
    expect(values).toMatchObject([{ value: 1, labels: { method: 'GET', route: '/a', status: 200 } }])
    // what workers send to the process that serves the metrics of all
    const sent = await metrics.registry.getMetricsAsJSON()
    const of = (name: string) => sent.find((one) => one.name === name)?.values
    expect(of('tidegate_downloads_total')).toMatchObject([
      { value: 1, labels: { outcome: 'complete', type: 'url' } },
      { value: 1, labels: { outcome: 'broken', type: 'url' } },
    ])
    expect(of('tidegate_download_bytes_total')).toMatchObject([{ value: 7 }])
    expect(of('tidegate_upstream_requests_total')).toMatchObject([{ value: 1, labels: { host: 'gateway' } }])
    expect(of('tidegate_http_request_duration_seconds')?.length).toBeGreaterThan(3)
  })
})
