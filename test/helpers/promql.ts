import { readFileSync } from 'node:fs'
import { parser } from '@prometheus-io/lezer-promql'
import { parse } from 'yaml'
import { registerGauges } from '../../packages/provider/src/metrics/gauges.js'
import { Metrics } from '../../packages/provider/src/metrics/metrics.js'
import { REPOSITORY } from './pages.js'

/** One alerting rule of deploy/alerts.yaml. */
export interface AlertRule {
  alert: string
  expr: string
  for: string
  labels: Record<string, string>
  annotations: Record<string, string>
}

/** The groups of deploy/alerts.yaml. */
export function alertGroups(): { name: string; rules: AlertRule[] }[] {
  return parse(readFileSync(`${REPOSITORY}deploy/alerts.yaml`, 'utf8')).groups
}

/** The label names of each metric of the service, by the metric's name. */
export function metricLabels(): Map<string, readonly string[]> {
  const metrics = new Metrics()
  registerGauges(metrics.registry, {
    index: {
      progress: () => [],
      isCurrent: () => true,
      clockOffset: () => null,
      unknownKeys: () => null,
      proofsWaiting: async () => 0,
      eventsWaiting: async () => 0,
      nodes: () => [],
    },
    takedowns: { count: async () => 0, newest: async () => [] },
    purchases: async () => [],
    isPurgatoryReadable: () => undefined,
    hosted: async () => undefined,
    state: { isStateUp: async () => true, lastWrite: () => 0, diskLeft: async () => 0 },
    connections: { count: () => 0, requests: () => 0, upstreamInFlight: () => 0 },
    version: '0',
  })
  const all = metrics.registry.getMetricsAsArray() as unknown as { name: string; labelNames?: string[] }[]
  return new Map(all.map(({ name, labelNames = [] }) => [name, labelNames]))
}

/** The parts of a PromQL query that cannot be parsed; Grafana's variables stand for values. */
export function faults(query: string): string[] {
  const text = query.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*')
  const found: string[] = []
  parser.parse(text).iterate({
    enter: ({ type, from, to }) => {
      if (type.isError) found.push(text.slice(from, to))
    },
  })
  return found
}

/** The metrics of a query, each with the labels of its selector, and the labels that the query groups by. */
export function selected(query: string): { metrics: { name: string; labels: string[] }[]; groups: string[] } {
  const metrics: { name: string; labels: string[] }[] = []
  const groups: string[] = []
  parser.parse(query).iterate({
    enter: ({ name, from, to, node }) => {
      const text = query.slice(from, to)
      if (name === 'VectorSelector') metrics.push({ name: /^[a-z_:]+/.exec(text)?.[0] ?? '', labels: [] })
      if (name !== 'LabelName') return
      if (node.parent?.name === 'GroupingLabels') groups.push(text)
      else metrics.at(-1)?.labels.push(text)
    },
  })
  return { metrics, groups }
}
