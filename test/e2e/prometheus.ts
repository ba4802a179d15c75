import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { freePort } from '../helpers/backends.js'
import { owned } from '../helpers/children.js'
import { eventually } from '../helpers/eventually.js'
import { alertGroups } from '../helpers/promql.js'

/** Whether a real Prometheus can be started here (Debian: prometheus). */
export const hasPrometheus = !spawnSync('prometheus', ['--version']).error

/** An alert as Prometheus reports it. */
export interface RaisedAlert {
  labels: Record<string, string>
  annotations: Record<string, string>
  state: 'pending' | 'firing'
}

interface EvaluatedRule {
  name: string
  health: 'ok' | 'unknown' | 'err'
  lastError?: string
  lastEvaluation: string
}

/** A real Prometheus that scrapes twice a second, and evaluates rules five times a second. */
export class Prometheus {
  private constructor(
    private readonly url: string,
    readonly close: () => Promise<void>,
  ) {}

  /** Starts one. `targets` are hosts with ports, `groups` the groups of a rule file. */
  static async start(targets: string[], groups: object[]): Promise<Prometheus> {
    const folder = mkdtempSync(join(tmpdir(), 'tidegate-test-'))
    const config = {
      global: { scrape_interval: '500ms', scrape_timeout: '500ms', evaluation_interval: '200ms' },
      rule_files: [join(folder, 'rules.yaml')],
      scrape_configs: [{ job_name: 'tidegate', static_configs: [{ targets }] }],
    }
    writeFileSync(join(folder, 'rules.yaml'), stringify({ groups }))
    writeFileSync(join(folder, 'prometheus.yaml'), stringify(config))
    const port = await freePort()
    const options = [
      `--config.file=${join(folder, 'prometheus.yaml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ]
    const child = owned(spawn('prometheus', options, { stdio: 'ignore' }))
    const exited = once(child, 'exit')
    const url = `http://127.0.0.1:${port}`
    const close = async () => {
      child.kill('SIGKILL')
      await exited
      rmSync(folder, { recursive: true })
    }
    await eventually(async () => (await fetch(`${url}/-/ready`).catch(() => undefined))?.ok)
    return new Prometheus(url, close)
  }

  /** The firing alerts. */
  async firing(): Promise<RaisedAlert[]> {
    const { alerts } = await this.data<{ alerts: RaisedAlert[] }>('/api/v1/alerts')
    return alerts.filter(({ state }) => state === 'firing')
  }

  /** Every rule, with the result of its last evaluation. */
  async rules(): Promise<EvaluatedRule[]> {
    const { groups } = await this.data<{ groups: { rules: EvaluatedRule[] }[] }>('/api/v1/rules')
    return groups.flatMap(({ rules }) => rules)
  }

  /** The values of a query, by instance. */
  async values(query: string): Promise<number[]> {
    const { result } = await this.data<{ result: { value: [number, string] }[] }>(
      `/api/v1/query?${new URLSearchParams({ query })}`,
    )
    return result.map(({ value }) => Number(value[1]))
  }

  private async data<T>(path: string): Promise<T> {
    return ((await (await fetch(this.url + path)).json()) as { data: T }).data
  }
}

/**
 * The rules of deploy/alerts.yaml with shorter times, and otherwise unchanged: every `for` is one second, every rate
 * window five seconds, and a head is stale after three.
 */
export function hurried() {
  return alertGroups().map((group) => ({
    ...group,
    rules: group.rules.map((rule) => ({
      ...rule,
      for: '1s',
      expr: rule.expr.replaceAll(/\[\d+m\]/g, '[5s]').replace(/(head_age_seconds) > \d+/, '$1 > 3'),
    })),
  }))
}

/** Mounts a disk of a size. Returns a folder on it; undefined, with a warning, if that needs root. */
export function smallDisk(folder: string, name: string, size: string): string | undefined {
  mkdirSync(join(folder, name))
  const options = ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', join(folder, name)]
  if (spawnSync('mount', options).status === 0) return join(name, 'state')
  console.warn('SKIPPED: the alerts of a full disk. It takes root to mount a small one.')
  return undefined
}
