// Runs the tests on other versions of Node: `npm run test:runtimes [-- 22 24 26 [-- vitest arguments]]`. The binaries come
// from npm (platform packages of `node`) into a temporary folder.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

const VERSIONS = { 22: '22.23.3', 24: '24.9.0', 26: '26.10.0' }

const split = process.argv.indexOf('--', 2)
const wanted = process.argv.slice(2, split < 0 ? undefined : split)
const args = split < 0 ? [] : process.argv.slice(split + 1)
const folder = mkdtempSync(join(tmpdir(), 'tidegate-node-'))
const run = (command, argv, env = process.env) => spawnSync(command, argv, { stdio: 'inherit', env }).status ?? 1
let failed = 0
try {
  for (const major of wanted.length > 0 ? wanted : Object.keys(VERSIONS)) {
    const name = `node-${process.platform}-${process.arch}`
    const home = join(folder, major)
    if (run('npm', ['install', '--silent', '--prefix', home, `${name}@${VERSIONS[major]}`]) !== 0) process.exit(1)
    const bin = join(home, 'node_modules', name, 'bin')
    const path = `${bin}${delimiter}${process.env.PATH}`
    failed += run(join(bin, 'node'), ['node_modules/vitest/vitest.mjs', 'run', ...args], { ...process.env, PATH: path })
  }
} finally {
  rmSync(folder, { recursive: true })
}
process.exitCode = failed > 0 ? 1 : 0
