import { execFile } from 'node:child_process'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { buildSync } from 'esbuild'
import { expect, it } from 'vitest'
import { bundleService } from '../../../../scripts/build/service.mjs'
import { ROOT } from '../../../../test/helpers/built.js'
import { newFolder } from '../../../../test/helpers/cleanup.js'

/** A process that terminates threads while they decrypt documents, as the sandbox does at a deadline. */
const PROGRAM = `
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads'
import { document } from './packages/provider/src/tasks/worker.ts'
if (isMainThread) {
  const { documentKeys } = await import('./packages/protocol/src/ddo/document-keys.ts')
  const { encrypt } = await import('./packages/protocol/src/crypto/ecies.ts')
  const { providerKey } = await import('./packages/protocol/src/crypto/keys.ts')
  const key = providerKey('0x' + '11'.repeat(32))
  const published = { flags: '0x02', data: '0x' + encrypt(key.publicKey, Buffer.from('tide')).toString('hex'), hash: '0x' }
  const owner = { nft: '0x' + '22'.repeat(20), chainId: 1, maxSize: 1000 }
  const task = { published, owner, keys: documentKeys(published, [key]) }
  for (let round = 0; round < 25; round++) {
    const thread = new Worker(new URL(import.meta.url), { workerData: task })
    const { reason } = await new Promise((resolve) => thread.once('message', resolve))
    if (!reason.includes('hash')) throw new Error('It was not decrypted: ' + reason)
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 20))
    await thread.terminate()
  }
  console.log('alive')
} else {
  parentPort.postMessage(await document(workerData))
  for (;;) await document(workerData)
}`

const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  dependencies: Record<string, string>
}

/** A module as the build makes it: packages with native code, and others that need their own files, stay outside. */
function bundled(contents: string) {
  return buildSync({
    stdin: { contents, resolveDir: ROOT, loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: Object.keys(dependencies).flatMap((name) => [name, `${name}/*`]),
    banner: {
      js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);",
    },
    write: false,
  })
}

it('terminating a thread while it decrypts does not crash the process', async () => {
  const { outputFiles } = bundled(PROGRAM)
  const folder = newFolder()

  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'program.mjs'), outputFiles[0]?.contents as Uint8Array)
  const ended = promisify(execFile)(process.execPath, [join(folder, 'program.mjs')], { timeout: 500_000 })
  expect((await ended).stdout).toBe('alive\n')
})

it('no task of a thread loads native code beside that of Node: terminated within it, a thread aborts the process', async () => {
  // as it is shipped: chunks that threads share with the service contain more than a thread alone needs
  const { outputs } = (await bundleService(ROOT, { sourcemap: false })).metafile
  const files = new Set(['dist/tasks/worker.js'])
  const outside = new Set<string>()
  for (const file of files)
    for (const { path, external } of outputs[file]?.imports ?? []) {
      if (!external) files.add(path)
      else outside.add(path)
    }
  expect(files.size).toBeGreaterThan(5)
  const isLoaded = (name: string) => [...outside].some((path) => `${path}/`.startsWith(`${name}/`))
  // in JavaScript alone
  expect(Object.keys(dependencies).filter(isLoaded)).toEqual(['lzma-purejs'])
})
