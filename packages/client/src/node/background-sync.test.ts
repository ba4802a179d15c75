import { expect, it } from 'vitest'
import { BackgroundSync } from './background-sync.js'

const STEP = 33_554_432

/** A file whose syncs end on demand. */
function fileOf() {
  const under: { resolve(): void; reject(error: Error): void }[] = []
  let finished = 0
  const datasync = () => new Promise<void>((resolve, reject) => under.push({ resolve, reject }))
  return { under, finished: () => finished, file: { datasync, sync: async () => void finished++ } }
}

it('syncs a file in steps, one at a time', async () => {
  const { file, under, finished } = fileOf()
  const disk = new BackgroundSync(file)
  await disk.written(STEP - 1)
  expect(under).toHaveLength(0)
  for (const bytes of [STEP, 2 * STEP, 3 * STEP]) await disk.written(bytes)
  expect(under).toHaveLength(1)
  under[0]?.resolve()
  await new Promise(setImmediate)
  await disk.written(3 * STEP + 1)
  await disk.written(3 * STEP + 2)
  expect(under).toHaveLength(2)
  const finish = disk.finish()
  await new Promise(setImmediate)
  expect(finished()).toBe(0)
  under[1]?.resolve()
  await finish
  expect(finished()).toBe(1)
})

it('reports a failed sync to the next write or finish, until the file restarts', async () => {
  const { file, under, finished } = fileOf()
  const disk = new BackgroundSync(file)
  await disk.written(STEP)
  under[0]?.reject(new Error('EIO'))
  await new Promise(setImmediate)
  await expect(disk.written(2 * STEP)).rejects.toThrow('EIO')
  await expect(disk.finish()).rejects.toThrow('EIO')
  expect([under.length, finished(), disk.hasFailed]).toEqual([1, 0, true])
  await disk.reset()
  expect(disk.hasFailed).toBe(false)
  await disk.written(STEP)
  expect(under).toHaveLength(2)
})
