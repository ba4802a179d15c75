import { pino } from 'pino'
import { expect, it } from 'vitest'
import { eventually } from '../../../../test/helpers/eventually.js'
import { SearchBuilder } from '../../src/search/search-builder.js'
import type { SearchStore } from '../../src/search/search-store.js'

it('merges no segments while the index catches up, and collects words meanwhile', async () => {
  const calls: string[] = []
  const search: Pick<SearchStore, 'buildSome' | 'collectWords' | 'mergeSome'> = {
    async buildSome() {
      calls.push('build')
      return false
    },
    async mergeSome() {
      calls.push('merge')
      return false
    },
    async collectWords(isOn) {
      calls.push(`collect ${isOn}`)
    },
  }
  let isCatchingUp = true
  const builder = new SearchBuilder(search as SearchStore, pino({ level: 'silent' }), () => isCatchingUp)
  builder.start()
  try {
    await eventually(() => calls.length === 3)
    isCatchingUp = false
    await eventually(() => calls.includes('merge'))
  } finally {
    builder.stop()
  }
  expect(calls).toEqual(['collect true', 'build', 'build', 'collect false', 'build', 'merge'])
})
