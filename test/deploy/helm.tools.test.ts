import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { SETTINGS, type Setting } from '../../packages/provider/src/config/schema.js'
import { type ChartRenderer, helm, type KubernetesObject } from '../helpers/deploy-tools.js'
import { REPOSITORY } from '../helpers/pages.js'
import { alertGroups } from '../helpers/promql.js'

const require = createRequire(import.meta.url)
const at = (file: string) => readFileSync(`${REPOSITORY}deploy/helm/tidegate/${file}`, 'utf8')
const settings = Object.entries(SETTINGS as Record<string, Setting<unknown>>)
const NETWORK_URL = '{"1":["https://rpc.example.org"]}'
/** Values that enable every feature. */
const ALL = {
  settings: {
    NETWORK_URL,
    TRUSTED_PROXIES: '10.0.0.0/8',
    RATE_LIMIT_BYTES: '10000000000',
    CONSOLE: 'true',
    HOSTING: 'local',
  },
  secret: { name: 'own', files: { AUTH_TOKEN_SECRET: 'token-secret' }, env: { METADATA_CACHE_URL: 'caches' } },
  image: { repository: 'registry.example.org/tidegate', tag: '1', pullPolicy: 'Always' },
  imagePullSecrets: [{ name: 'pull' }],
  replicas: 3,
  hosting: { claim: 'tidegate-files' },
  cache: { size: '10Gi' },
  nodeSelector: { disk: 'fast' },
  tolerations: [{ key: 'a', operator: 'Exists' }],
  affinity: { podAntiAffinity: {} },
  podAnnotations: { a: 'b' },
  service: { type: 'LoadBalancer', port: 8080 },
  ingress: {
    enabled: true,
    className: 'nginx',
    host: 'provider.example.org',
    tlsSecret: 'tls',
    annotations: { 'nginx.ingress.kubernetes.io/proxy-buffering': 'off' },
  },
  metrics: {
    serviceMonitor: { enabled: true, interval: '10s', labels: { release: 'prometheus' } },
    rules: { enabled: true, labels: { release: 'prometheus' } },
  },
  podDisruptionBudget: { minAvailable: '50%' },
  networkPolicy: {
    metricsNamespace: 'observability',
    egress: [{ to: [{ ipBlock: { cidr: '10.0.0.5/32' } }], ports: [{ port: 5432 }] }],
  },
}

const render = helm() as ChartRenderer
if (!render) console.warn('SKIPPED: the Helm chart. Helm is not there; scripts/deploy-tools.sh installs it.')

describe.skipIf(!render)('the Helm chart', () => {
  const byKind = (objects: KubernetesObject[], kind: string) =>
    objects.find((object) => object.kind === kind) as KubernetesObject
  const containerOf = (objects: KubernetesObject[]) => byKind(objects, 'Deployment').spec.template.spec.containers[0]

  it.each(['7', '1e5', 'true', 'a'.repeat(53)])('renders valid objects for the release %s', (release) => {
    for (const object of render(ALL, release)) validate(object)
  })

  it('renders valid objects with its default values', () => {
    const objects = render({ settings: { NETWORK_URL } })
    expect(objects.map(({ kind }) => kind).sort()).toEqual(
      ['Deployment', 'NetworkPolicy', 'PodDisruptionBudget', 'Service', 'Service'].sort(),
    )
    for (const object of objects) validate(object)
    const broken = structuredClone(byKind(objects, 'Deployment'))
    broken.spec.template.spec.containers[0].ports = 'all'
    expect(() => validate(broken)).toThrow()
  })

  it('renders valid objects with every feature enabled', () => {
    const objects = render(ALL)
    for (const object of objects) validate(object)
    expect(byKind(objects, 'Ingress').spec.tls).toEqual([{ hosts: ['provider.example.org'], secretName: 'tls' }])
    expect(byKind(objects, 'NetworkPolicy').spec.egress.at(-1)).toEqual(ALL.networkPolicy.egress[0])
    const labels = { release: 'prometheus' }
    const rules = byKind(objects, 'PrometheusRule')
    expect(rules.metadata).toMatchObject({ labels })
    expect(rules.spec).toEqual({ groups: alertGroups() })
    const monitor = byKind(objects, 'ServiceMonitor')
    expect(monitor.metadata).toMatchObject({ labels })
    const monitored = objects.filter(
      ({ kind, metadata }) => kind === 'Service' && contains(metadata, monitor.spec.selector.matchLabels),
    )
    expect(monitored.map(({ metadata }) => metadata.name)).toEqual(['demo-tidegate-metrics'])
    expect(monitor.spec.endpoints[0].relabelings).toEqual([{ targetLabel: 'job', replacement: 'tidegate' }])
    expect(containerOf(objects).image).toBe('registry.example.org/tidegate:1')
  })

  it('runs an unprivileged process with existing settings, and secrets as files that its group can read', () => {
    const objects = render(ALL)
    const { env, securityContext, volumeMounts } = containerOf(objects)
    for (const { name } of env as { name: string }[]) {
      const [, definition] = settings.find(([setting]) => setting === name.replace(/_FILE$/, '')) ?? []
      expect(definition, name).toBeDefined()
      if (name.endsWith('_FILE')) expect(definition?.secret, name).toBe(true)
    }
    const value = (name: string) => env.find((entry: { name: string }) => entry.name === name)
    expect(value('RATE_LIMIT_BYTES').value).toBe('10000000000')
    expect(value('METADATA_CACHE_URL').valueFrom.secretKeyRef).toEqual({ name: 'own', key: 'caches' })
    expect(value('DATABASE_URL_FILE').value).toBe('/etc/tidegate/database-url')
    expect(volumeMounts[0]).toMatchObject({ mountPath: '/etc/tidegate', readOnly: true })
    const mounted = volumeMounts.map(({ mountPath }: { mountPath: string }) => mountPath)
    for (const name of ['HOSTING_DIR', 'STORAGE_CACHE_DIR']) expect(mounted).toContain(value(name).value)
    const pod = byKind(objects, 'Deployment').spec.template.spec
    expect(pod.volumes[0].secret).toEqual({ secretName: 'own', defaultMode: 0o440 })
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000, fsGroup: 1000 })
    expect(securityContext).toMatchObject({ readOnlyRootFilesystem: true, allowPrivilegeEscalation: false })
    expect(pod.automountServiceAccountToken).toBe(false)
  })

  it('listens on IPv6, in a cluster without IPv4', () => {
    const objects = render({
      settings: { NETWORK_URL, HOST: '::', METRICS_HOST: '::' },
      service: { ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv6'] },
    })
    for (const object of objects) validate(object)
    const hosts = containerOf(objects).env.filter(({ name }: { name: string }) => /HOST$/.test(name))
    expect(hosts).toEqual(['HOST', 'METRICS_HOST'].map((name) => ({ name, value: '::' })))
    const services = objects.filter(({ kind }) => kind === 'Service')
    expect(services.map(({ spec }) => spec.ipFamilies)).toEqual([['IPv6'], ['IPv6']])
  })

  it('leaves user and group to OpenShift, and asks its name servers', () => {
    const objects = render({
      settings: { NETWORK_URL },
      podSecurityContext: { runAsUser: null, runAsGroup: null, fsGroup: null },
      podLabels: { 'sidecar.istio.io/inject': 'false' },
      serviceAccountName: 'tidegate',
      networkPolicy: { dnsNamespace: 'openshift-dns', dnsPorts: [5353] },
    })
    for (const object of objects) validate(object)
    const { spec, metadata } = byKind(objects, 'Deployment').spec.template
    expect(spec.securityContext).toEqual({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } })
    expect(spec.serviceAccountName).toBe('tidegate')
    expect(metadata.labels).toMatchObject({ 'sidecar.istio.io/inject': 'false' })
    expect(containerOf(objects).securityContext).toMatchObject({ readOnlyRootFilesystem: true })
    expect(byKind(objects, 'NetworkPolicy').spec.egress[0].ports).toEqual([
      { port: 5353, protocol: 'UDP' },
      { port: 5353, protocol: 'TCP' },
    ])
  })

  it('allows no egress to private networks that the values do not name', () => {
    const { egress } = byKind(render({ settings: { NETWORK_URL } }), 'NetworkPolicy').spec
    const blocks = egress.flatMap(({ to }: { to: { ipBlock?: { cidr: string; except: string[] } }[] }) =>
      to.flatMap(({ ipBlock }) => ipBlock ?? []),
    )
    expect(blocks.map(({ cidr }: { cidr: string }) => cidr)).toEqual(['0.0.0.0/0', '::/0'])
    for (const network of ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', 'fc00::/7'])
      expect(blocks.flatMap(({ except }: { except: string[] }) => except)).toContain(network)
  })

  it.each([
    ['no nodes', {}, 'NETWORK_URL'],
    ['an ingress whose addresses are not trusted', { ...ALL, settings: { NETWORK_URL } }, 'TRUSTED_PROXIES'],
    ['an ingress without a host', { ...ALL, ingress: { enabled: true } }, 'host'],
    ['hosted files without a volume', { settings: { NETWORK_URL, HOSTING: 'local' } }, 'hosting.claim'],
    ['a folder that is not mounted', { settings: { NETWORK_URL, STORAGE_CACHE_DIR: '/tmp' } }, 'STORAGE_CACHE_DIR'],
    ['a misspelt value', { settings: { NETWORK_URL }, replica: 2 }, 'replica'],
    ['a key among the settings', { settings: { NETWORK_URL, PROVIDER_PRIVATE_KEY: 'x' } }, 'PROVIDER_PRIVATE_KEY'],
    ['a number, which would be written as 1e+07', { settings: { NETWORK_URL, RATE_LIMIT_BYTES: 1e7 } }, 'settings'],
  ])('refuses %s', (_, values, named) => {
    expect(() => render(values)).toThrow(named)
  })

  it('refuses every secret setting among the plain settings', () => {
    const { enum: refused } = JSON.parse(at('values.schema.json')).properties.settings.propertyNames.not
    const secret = settings.filter(([, definition]) => definition.secret).map(([name]) => name)
    expect(secret.filter((name) => !refused.includes(name))).toEqual([])
    expect(refused.filter((name: string) => !(name in SETTINGS))).toEqual([])
  })

  it('has the version of the service', () => {
    const { version } = JSON.parse(readFileSync(`${REPOSITORY}package.json`, 'utf8'))
    expect(parse(at('Chart.yaml'))).toMatchObject({ version, appVersion: version })
  })
})

const contains = (metadata: object, wanted: Record<string, string>) => {
  const { labels = {} } = metadata as { labels?: Record<string, string> }
  return Object.entries(wanted).every(([name, value]) => labels[name] === value)
}

/** Throws if an object violates the schema of its kind. */
function validate(object: KubernetesObject): void {
  const { apiVersion, kind } = object
  if (apiVersion === 'monitoring.coreos.com/v1') {
    expect(['ServiceMonitor', 'PrometheusRule']).toContain(kind)
    return
  }
  const Model = require(`kubernetes-models/${apiVersion}/${kind}`)[kind]
  new Model(object).validate()
}
