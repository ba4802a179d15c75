// Document readers that never finish, for packages/provider/test/catalog/documents.test.ts. The document says what they do.

/** What happens to a document that consists of this one byte. */
const FATES = {
  '0x01': () => {
    for (;;) Math.random()
  },
  '0x02': () => {
    const kept = []
    for (;;) kept.push({ at: kept.length })
  },
  '0x03': () => {
    throw new Error('hunter2')
  },
}

export function document({ published: { data, tries } }) {
  if (tries) {
    const before = Atomics.add(tries, 0, 1)
    if (data === '0x04' && before > 0) return { ddo: '{}', did: 'did:op:second' }
    if (data === '0x04') FATES['0x01']()
  }
  return FATES[data]?.() ?? { ddo: '{}', did: 'did:op:first' }
}

export function documents(tasks) {
  return tasks.map(document)
}
