import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseAllDocuments, stringify } from 'yaml'
import { REPOSITORY } from './pages.js'

const CACHE = join(process.env.XDG_CACHE_HOME || join(process.env.HOME || homedir(), '.cache'), 'tidegate/deploy-tools')
const CHART = `${REPOSITORY}deploy/helm/tidegate`

/** The path of a program: on PATH, or installed by scripts/deploy-tools.sh. Undefined if it is missing. */
export function program(name: string): string | undefined {
  const { status, stdout } = spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' })
  if (status === 0) return stdout.trim()
  const own = join(CACHE, 'bin', name)
  return existsSync(own) ? own : undefined
}

/** A renderer of charts: Helm itself, or the Python package of its library. Undefined if both are missing. */
export function helm(): ChartRenderer | undefined {
  const binary = program('helm')
  if (binary) return byBinary(binary)
  const python = join(CACHE, 'bin/python')
  return spawnSync(python, ['-c', 'import helm_python']).status === 0 ? byLibrary(python) : undefined
}

/** Renders the chart of deploy/helm with values. Returns the objects; throws Helm's message where it refuses. */
export type ChartRenderer = (values: object, release?: string) => KubernetesObject[]

/** An object of Kubernetes, as a chart renders it. */
// biome-ignore lint/suspicious/noExplicitAny: whatever a chart renders
export type KubernetesObject = { apiVersion: string; kind: string; metadata: { name: string } } & Record<string, any>

function byBinary(binary: string): ChartRenderer {
  return (values, release = 'demo') => {
    const folder = mkdtempSync(join(tmpdir(), 'tidegate-test-'))
    const file = join(folder, 'values.yaml')
    writeFileSync(file, stringify(values))
    const rendered = spawnSync(binary, ['template', release, CHART, '--values', file], { encoding: 'utf8' })
    rmSync(folder, { recursive: true })
    if (rendered.status !== 0) throw new Error(rendered.stderr)
    return objectsIn(rendered.stdout)
  }
}

const RENDER = `
import json, sys
import helm_python as helm
with helm.Chart.load(sys.argv[1]) as chart:
    try:
        print(json.dumps(chart.render(json.loads(sys.argv[2]), name=sys.argv[3])))
    except helm.HelmError as error:
        sys.exit(str(error))
`

function byLibrary(python: string): ChartRenderer {
  return (values, release = 'demo') => {
    const rendered = spawnSync(python, ['-c', RENDER, CHART, JSON.stringify(values), release], { encoding: 'utf8' })
    if (rendered.status !== 0) throw new Error(rendered.stderr)
    const files = Object.entries(JSON.parse(rendered.stdout) as Record<string, string>)
    return files.flatMap(([name, text]) => (name.endsWith('.yaml') ? objectsIn(text) : []))
  }
}

function objectsIn(text: string): KubernetesObject[] {
  return parseAllDocuments(text).flatMap((document) => {
    if (document.errors.length > 0) throw document.errors[0]
    return (document.toJS() as KubernetesObject | null) ?? []
  })
}
