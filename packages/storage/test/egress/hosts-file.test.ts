import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { eventually } from '../../../../test/helpers/eventually.js'
import { codeOf, Names } from '../../../../test/helpers/names.js'
import { HostsFile } from '../../src/egress/dns/hosts-file.js'
import { STORAGE_LIMITS } from '../../src/limits.js'

let all: Names
let { server, names } = {} as Names
const cleanUp: (() => void)[] = []
beforeEach(async () => {
  all = await Names.start()
  ;({ server, names } = all)
})
afterEach(() => {
  all.close()
  for (const step of cleanUp.splice(0)) step()
})

describe('the hosts file', () => {
  const written = (text: string) => {
    const folder = mkdtempSync(join(tmpdir(), 'hosts-'))
    cleanUp.push(() => rmSync(folder, { recursive: true, force: true }))
    const path = join(folder, 'hosts')
    writeFileSync(path, text)
    return path
  }

  it('takes precedence over name servers, IPv4 first; malformed lines are ignored', async () => {
    const hostsFile = written(
      '# a comment\n10.0.0.9\tFiles.Example other # files.test\r\nfe80::1%lo0 zone\n::2 files.example\nnonsense x\n1.2.3 y\n\n9.9.9.9',
    )
    names = all.resolver({ hostsFile })
    const both = [
      { address: '10.0.0.9', family: 4 },
      { address: '::2', family: 6 },
    ]
    expect(await names.resolve('files.example')).toEqual(both)
    expect(await names.resolve('OTHER')).toEqual(both.slice(0, 1))
    expect(server.asked).toEqual([])
    for (const name of ['files.test', 'x', 'y', 'nonsense']) expect(await codeOf(names.resolve(name))).toBe('ENOTFOUND')
  })

  it('is read again when it has changed, and may be missing', async () => {
    const path = written('10.0.0.9 files.example\n')
    const hosts = new HostsFile(path, 0)
    const address = async () => (await hosts.find('files.example'))?.[0]?.address
    expect(await address()).toBe('10.0.0.9')
    writeFileSync(path, '10.0.0.10 files.example other\n')
    await eventually(async () => (await address()) === '10.0.0.10')
    rmSync(path)
    await eventually(async () => (await address()) === undefined)
    writeFileSync(path, '10.0.0.11 files.example\n')
    await eventually(async () => (await address()) === '10.0.0.11')
    // a folder is not a file
    expect(await new HostsFile(tmpdir()).find('files.example')).toBeUndefined()
  })

  it('is read up to a maximum size, in whole lines', async () => {
    const line = '10.0.0.9 files.example.long\n'
    const text = `10.0.0.9 first\n${line.repeat(STORAGE_LIMITS.dns.hostsFile / line.length)}10.0.0.9 last\n`
    names = all.resolver({ hostsFile: written(text) })
    expect(await names.resolve('first')).toHaveLength(1)
    expect(await names.resolve('files.example.long')).toHaveLength(2 * STORAGE_LIMITS.dns.addresses)
    expect(await codeOf(names.resolve('last'))).toBe('ENOTFOUND')
  })

  it('of this machine is used by default', async () => {
    const line = /^127\.\S+[ \t]+(?!localhost)([\w-]+)/m.exec(readFileSync('/etc/hosts', 'utf8'))
    const name = line?.[1] ?? 'localhost'
    expect((await names.resolve(name))[0]?.address).toMatch(/^127\./)
    expect(server.asked).toEqual([])
  })
})
