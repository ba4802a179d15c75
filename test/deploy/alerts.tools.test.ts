import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { anchorOf, page, REPOSITORY } from '../helpers/pages.js'
import { alertGroups, faults, metricLabels, selected } from '../helpers/promql.js'

/** Labels that Prometheus itself adds to what it scrapes. */
const OF_TARGETS = ['job', 'instance']
const rules = alertGroups().flatMap((group) => group.rules)
const metrics = metricLabels()

describe('alerts.yaml', () => {
  it('has every alert once', () => {
    expect(rules.length).toBeGreaterThan(10)
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length)
  })

  it.each(rules)('$alert: valid PromQL over existing metrics and labels', ({ expr }) => {
    expect(faults(expr)).toEqual([])
    const { metrics: used, groups } = selected(expr)
    expect(used.length).toBeGreaterThan(0)
    for (const { name, labels } of used) {
      if (name !== 'up') expect([...metrics.keys()]).toContain(name)
      const known = [...OF_TARGETS, ...(metrics.get(name) ?? [])]
      expect(labels.filter((label) => !known.includes(label))).toEqual([])
      expect(groups.filter((label) => !known.includes(label))).toEqual([])
    }
  })

  it.each(rules)('$alert: has a severity, a summary with existing labels, and an existing runbook', (rule) => {
    expect(Object.keys(rule).sort()).toEqual(['alert', 'annotations', 'expr', 'for', 'labels'])
    expect(rule.alert).toMatch(/^Tidegate[A-Z][A-Za-z]+$/)
    expect(rule.for).toMatch(/^\d+m$/)
    expect(['critical', 'warning']).toContain(rule.labels.severity)
    const { summary = '', runbook = '' } = rule.annotations
    const { groups, metrics: used } = selected(rule.expr)
    const known = groups.length > 0 ? groups : [...OF_TARGETS, ...(metrics.get(used[0]?.name ?? '') ?? [])]
    const named = [...summary.matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label as string)
    expect(named.filter((label) => !known.includes(label))).toEqual([])
    const [file, anchor] = runbook.split('#')
    expect(page(file as string).headings.map(anchorOf)).toContain(anchor)
  })

  it('control: an invalid query is detected, and the metrics and labels of a valid one are found', () => {
    expect(faults('rate(x[5m]) > ')).not.toEqual([])
    expect(selected('sum by (a) (rate(x_total{b="1",c!~"2"}[5m])) / y')).toEqual({
      metrics: [
        { name: 'x_total', labels: ['b', 'c'] },
        { name: 'y', labels: [] },
      ],
      groups: ['a'],
    })
  })

  const hasPromtool = !spawnSync('promtool', ['--version']).error
  if (!hasPromtool) console.warn('SKIPPED: check of the alerts by promtool. It is not installed (Debian: prometheus).')
  it.skipIf(!hasPromtool)('is accepted by promtool', () => {
    const { status, stdout } = spawnSync('promtool', ['check', 'rules', `${REPOSITORY}deploy/alerts.yaml`])
    expect(`${stdout}`).toContain(`SUCCESS: ${rules.length} rules found`)
    expect(status).toBe(0)
  })
})
