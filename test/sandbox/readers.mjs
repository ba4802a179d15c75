// Readers of documents that do not come to an end: test/assets/documents.test.ts. What they do is said by the document.

/** The byte of a document of one byte: what becomes of it. */
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
