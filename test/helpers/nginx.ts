import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { type RequestOptions, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { freePort } from './backends.js'
import { selfSigned } from './certificate.js'
import { owned } from './children.js'
import { eventually } from './eventually.js'
import { REPOSITORY } from './pages.js'

/** The uid of `nobody`, for tests that run as root. */
const NOBODY = 65534
const HOST = 'provider.example.org'

/** A real nginx with deploy/nginx.conf, unchanged except for ports, the address of the service, and the certificate. */
export class Nginx {
  private constructor(
    readonly port: number,
    readonly plainPort: number,
    private readonly folder: string,
    private readonly ca: string,
    readonly close: () => Promise<void>,
  ) {}

  /** Starts one in front of a service, or of several instances, as an unprivileged user in its own folder. */
  static async before(program: string, ...services: string[]): Promise<Nginx> {
    const folder = mkdtempSync(join(tmpdir(), 'tidegate-test-'))
    chmodSync(folder, 0o777)
    const [port, plainPort] = [await freePort(), await freePort()]
    const { cert, key } = selfSigned(HOST)
    const block = before(services, readFileSync(`${REPOSITORY}deploy/nginx.conf`, 'utf8'))
      .replaceAll(/listen (\[::\]:)?(80|443)( ssl)?;/g, (_, six, number, tls = '') => {
        return `listen ${six ? '[::1]' : '127.0.0.1'}:${number === '80' ? plainPort : port}${tls};`
      })
      .replaceAll(/\/etc\/letsencrypt\/live\/[^/]+/g, folder)
    const files = { 'fullchain.pem': cert, 'privkey.pem': key, 'site.conf': block }
    const close = await run(program, folder, files)
    const nginx = new Nginx(port, plainPort, folder, cert, close)
    const isUp = () => nginx.ask('/live').then(({ statusCode }) => statusCode === 200)
    await eventually(() => isUp().catch(() => false))
    return nginx
  }

  /** Starts one that has a service below a path, without TLS, and takes the path from the requests. Answers what ends it. */
  static async below(path: string, program: string, service: string, port: number): Promise<() => Promise<void>> {
    const folder = mkdtempSync(join(tmpdir(), 'tidegate-test-'))
    chmodSync(folder, 0o777)
    const location = `location ${path}/ { proxy_pass ${service}/; proxy_http_version 1.1; client_max_body_size 11m; }`
    const close = await run(program, folder, { 'site.conf': `server { listen 127.0.0.1:${port}; ${location} }` })
    const isUp = () => fetch(`http://127.0.0.1:${port}${path}/live`).then(({ ok }) => ok)
    await eventually(() => isUp().catch(() => false))
    return close
  }

  /** The warnings and errors that nginx has logged. */
  get complaints(): string {
    return readFileSync(join(this.folder, 'error.log'), 'utf8')
  }

  /** Sends a request over TLS, by IPv4 or IPv6. Resolves with the headers of the response. */
  async ask(
    path: string,
    { body, six = false, ...options }: RequestOptions & { body?: Buffer; six?: boolean } = {},
  ): Promise<IncomingMessage> {
    const host = six ? '::1' : '127.0.0.1'
    const sent = request({ path, host, port: this.port, ca: this.ca, servername: HOST, agent: false, ...options })
    sent.end(body)
    return ((await once(sent, 'response')) as [IncomingMessage])[0]
  }

  /** The same without TLS. */
  async askPlainly(path: string): Promise<IncomingMessage> {
    const headers = { host: HOST }
    const sent = httpRequest({ path, host: '127.0.0.1', port: this.plainPort, agent: false, headers }).end()
    return ((await once(sent, 'response')) as [IncomingMessage])[0]
  }
}

/** The server block with the addresses of the instances; changed for several of them as its comment says. */
function before(services: string[], block: string): string {
  const [address, ...others] = services.map((url) => new URL(url).host)
  if (others.length === 0) return block.replace('server 127.0.0.1:8030;', `server ${address};`)
  return block
    .replace('server 127.0.0.1:8030;', [address, ...others].map((host) => `server ${host} max_fails=0;`).join('\n'))
    .replace('keepalive 64;', '')
    .replace('proxy_next_upstream off;', 'proxy_next_upstream error http_503;')
}

/** Runs nginx with the files of a folder, as an unprivileged user. Answers what ends it and removes the folder. */
async function run(program: string, folder: string, site: Record<string, string>): Promise<() => Promise<void>> {
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((at) => `${at}_temp_path ${folder}/${at};`)
  const main = `daemon off; pid ${folder}/pid; error_log ${folder}/error.log warn; events {}
    http { access_log off; ${paths.join(' ')} include ${folder}/site.conf; }`
  const files = { ...site, 'nginx.conf': main }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, { mode: 0o644 })
  const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
  const options = ['-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')]
  const child = owned(spawn(program, options, { stdio: ['ignore', 'ignore', 'pipe'], ...user }))
  let said = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk
  })
  const exited = once(child, 'exit')
  await eventually(() => {
    if (child.exitCode !== null) throw new Error(`nginx has ended: ${said}`)
    return existsSync(join(folder, 'pid'))
  })
  return async () => {
    child.kill('SIGTERM')
    await exited
    rmSync(folder, { recursive: true })
  }
}

/** The body of a response. */
export const bodyOf = (response: IncomingMessage): Promise<Buffer> => buffer(response)
