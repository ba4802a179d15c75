import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { newFolder } from '../helpers/cleanup.js'
import { type ChartRenderer, helm, program } from '../helpers/deploy-tools.js'
import { page, REPOSITORY } from '../helpers/pages.js'

const { blocks } = page('docs/operations.md')
const under = (heading: string, language: string) =>
  blocks.filter((block) => block.heading === heading && block.language === language).map(({ text }) => text)

/** The code blocks of docs/operations.md that can be run or checked here; install.tools.test.ts covers the installation. */
describe('code blocks of the page for operators', () => {
  const folder = newFolder()

  it.each(blocks.filter(({ language }) => language === 'sh'))('$heading: bash can parse the commands', ({ text }) => {
    const { status, stderr } = spawnSync('bash', ['-n'], { input: text, encoding: 'utf8' })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  })

  it("nginx: the commands install the server block, with the operator's host name, where nginx reads it", () => {
    const root = join(folder, 'nginx')
    for (const name of ['available', 'enabled'])
      mkdirSync(join(root, 'etc/nginx', `sites-${name}`), { recursive: true })
    const [commands = ''] = under('Put behind TLS', 'sh')
    // what needs the network or a running nginx is left out
    const stand =
      'sudo() { case $1 in tee | ln) "$@" ;; esac; }\ncurl() { [ "$2" = https://tides.example.com/ready ]; }\n'
    const own = commands.replaceAll(' /etc', ` ${root}/etc`).replace(/^SITE=.+/, 'SITE=tides.example.com')
    const { status } = spawnSync('bash', ['--norc', '-euc', stand + own], {
      cwd: REPOSITORY,
      env: { PATH: process.env.PATH },
    })
    expect(status).toBe(0)
    const enabled = spawnSync('cat', [join(root, 'etc/nginx/sites-enabled/tidegate')], { encoding: 'utf8' }).stdout
    expect(enabled).toContain('server_name tides.example.com;')
    expect(enabled).not.toContain('provider.example.org')
  })

  const hasPromtool = program('promtool') !== undefined
  if (!hasPromtool) console.warn('SKIPPED: prometheus.yml of the page. promtool is not installed (Debian: prometheus).')
  it.skipIf(!hasPromtool)('Prometheus: promtool accepts the configuration', () => {
    const [config = ''] = under('Watch', 'yaml')
    const rules = join(folder, 'tidegate-alerts.yaml')
    cpSync(`${REPOSITORY}deploy/alerts.yaml`, rules)
    const file = join(folder, 'prometheus.yml')
    writeFileSync(file, config.replace('/etc/prometheus/tidegate-alerts.yaml', rules))
    expect(config).not.toBe(config.replace('/etc/prometheus/tidegate-alerts.yaml', rules))
    const { status, stdout } = spawnSync('promtool', ['check', 'config', file], { encoding: 'utf8' })
    expect(stdout).toContain('1 rule files found')
    expect(status).toBe(0)
  })

  const render = helm() as ChartRenderer
  it.skipIf(!render)('Helm: the chart accepts the values', () => {
    const [values = ''] = under('On Kubernetes', 'yaml')
    const kinds = render(parse(values)).map(({ kind }) => kind)
    for (const kind of ['Ingress', 'ServiceMonitor', 'PrometheusRule', 'NetworkPolicy']) expect(kinds).toContain(kind)
  })
})
