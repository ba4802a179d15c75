import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { ROOT } from './helpers/built.js'

it('a run of tests that has offered a PostgreSQL ends with its exit code', () => {
  const program = `
    import { offerPostgres } from './test/helpers/postgres-of-run.ts'
    const end = await offerPostgres()
    await fetch(process.env.TIDEGATE_TEST_POSTGRES)
    process.exitCode = 3
    await end()`
  const { status, stderr } = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  expect([status, stderr]).toEqual([3, ''])
})
