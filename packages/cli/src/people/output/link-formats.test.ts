import { safePath } from '@tidegate/client/node'
import { describe, expect, it } from 'vitest'
import { LINK_FORMATS } from './link-formats.js'

const URL = 'https://provider.example/api/services/download/link/x/file'
const HOSTILE = '../../\t\r\n  out=/etc/passwd\n--config=x\u2028/..\\"; rm -rf ~ #\u0000'

/** Safe paths of hostile names. test/clients/data-tools.tools.test.ts runs the programs. */
describe('entries of a list of links', () => {
  it.each(Object.entries(LINK_FORMATS))('of the format %s hold a hostile name in one line', (_name, { entry }) => {
    const honest = entry({ url: URL, path: 'file.csv' })
    const path = safePath(HOSTILE)
    const hostile = entry({ url: URL, path })
    expect(hostile.split('\n')).toHaveLength(honest.split('\n').length)
    expect(hostile.replace(path, 'file.csv')).toBe(honest)
    expect(path.split('/')).not.toContain('..')
  })

  it('quote what ends a text', () => {
    expect(LINK_FORMATS.curl.entry({ url: URL, path: 'a"b\\c' })).toContain(String.raw`output = "./a\"b\\c"`)
    expect(LINK_FORMATS.rclone.entry({ url: URL, path: 'a"b' })).toBe(`${URL},"a""b"`)
  })
})
