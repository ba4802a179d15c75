import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { newFolder } from '../../../test/helpers/cleanup.js'
import { eventually } from '../../../test/helpers/eventually.js'
import { OneThread } from '../src/one-thread.js'

const MODULE = `import { threadId } from 'node:worker_threads'
const done = []
export const id = () => threadId
export const note = (text) => { done.push(text); return done }
export const fail = () => new Promise(() => { setImmediate(() => { throw new Error('failed') }) })
export const end = () => undefined
`

describe('one thread', () => {
  const folder = newFolder()
  const open: OneThread[] = []
  afterEach(async () => {
    for (const thread of open.splice(0)) await thread.end()
  })

  function thread(text = MODULE, idle = 60_000): OneThread {
    const entry = join(folder, `${open.length}-${text.length}.mjs`)
    writeFileSync(entry, text)
    const one = new OneThread({ entry: pathToFileURL(entry), idle })
    open.push(one)
    return one
  }

  it('is ready after its first task, and runs all of them', async () => {
    const one = thread()
    expect(one.isReady).toBe(false)
    const ids = await Promise.all([one.run('id', 1), one.run('id', 2)])
    expect(ids[0]).toBe(ids[1])
    expect(one.isReady).toBe(true)
    expect(await one.run('id', 3)).toBe(ids[0])
  })

  it('ends when it is idle, and starts again', async () => {
    const one = thread(MODULE, 10)
    const first = await one.run('id', 1)
    await eventually(() => !one.isReady)
    expect(await one.run('id', 2)).not.toBe(first)
  })

  it('ends after the tasks that it has', async () => {
    const one = thread()
    const answers = [one.run('note', 'a'), one.run('note', 'b')]
    await one.end()
    expect(await Promise.all(answers)).toEqual([['a'], ['a', 'b']])
  })

  it('gives no answer of a thread that is being ended to the tasks of its successor (threat 95)', async () => {
    const one = thread()
    await one.run('id', 1)
    const late = one.run('note', 'late')
    const ended = one.end()
    expect(await one.run('note', 'next')).toEqual(['next'])
    expect(await late).toEqual(['late'])
    await ended
  })

  it('rejects the tasks of a thread that fails, and starts another for the next one', async () => {
    const one = thread()
    const failed = [one.run('fail', 1), one.run('fail', 2)]
    for (const task of failed) await expect(task).rejects.toThrow('failed')
    expect(await one.run('note', 'next')).toEqual(['next'])
  })

  it('rejects the tasks of a thread that does not start', async () => {
    const one = thread('throw new Error("no start")')
    const failed = [one.run('id', 1), one.run('id', 2)]
    for (const task of failed) await expect(task).rejects.toThrow()
    expect(one.isReady).toBe(false)
  })
})
