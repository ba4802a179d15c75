import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

const onLinux = process.platform === 'linux'
if (!onLinux)
  console.warn('SKIPPED: benchmarks. They read the memory and CPU of processes from /proc, which is Linux alone.')

/** No time is looked at here: the machine is shared. Each benchmark runs at a small size, and costs are counted. */
it.runIf(onLinux)('benchmarks work, and no request costs more than it did', { timeout: 240_000 }, async () => {
  const { code, output } = await new Promise<{ code: number; output: string }>((resolve) => {
    const run = (file: string, args: string[], then: (error: Error | null, output: string) => void) =>
      execFile(process.execPath, [file, ...args], { cwd: ROOT }, (error, stdout, stderr) =>
        then(error, stdout + stderr),
      )
    run('scripts/build.mjs', [], () =>
      run('--import', ['tsx', 'bench/run.ts', '--smoke'], (error, output) => resolve({ code: error ? 1 : 0, output })),
    )
  })
  expect(code, output).toBe(0)
  for (const title of [
    'Requests per second',
    'Streaming',
    'Memory with clients',
    'What a request costs',
    'Start, memory',
    'Operations per second',
    'The index catches up',
  ])
    expect(output).toContain(title)
})
