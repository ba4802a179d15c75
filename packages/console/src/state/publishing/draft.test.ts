import { describe, expect, it } from 'vitest'
import { type DraftFile, emptyDraft, mergedDraft, type UploadFile } from './draft.js'

const upload = (key: string, status: UploadFile['status'], others: Partial<UploadFile> = {}): DraftFile => ({
  ...{ key, kind: 'upload', name: `${key}.csv`, size: 8, type: 'text/csv', fingerprint: key, sent: 0, status },
  ...others,
})
const location = (key: string, object: object, others = {}): DraftFile =>
  ({ key, kind: 'location', label: key, object, status: 'good', ...others }) as DraftFile
const draftOf = (...files: DraftFile[]) => ({ ...emptyDraft(), id: 'one', files })
const own =
  (...keys: string[]) =>
  (key: string) =>
    keys.includes(key)

describe('a draft in two tabs', () => {
  it('takes the words, files and removals of the other tab', () => {
    const here = draftOf(upload('a', 'done'), location('b', { type: 'url', url: 'https://b', method: 'GET' }))
    const other = { ...draftOf(upload('a', 'done'), upload('c', 'uploading', { sent: 4 })), name: 'Tides' }
    expect(mergedDraft(here, other, own())).toEqual(other)
    // an own upload, too
    expect(mergedDraft(here, draftOf(), own('a'))).toEqual(draftOf())
    const anew = { ...emptyDraft(), id: 'two' }
    expect(mergedDraft(draftOf(upload('a', 'uploading')), anew, own('a'))).toEqual(anew)
  })

  it('keeps the newer state of its own uploads, and those that are new to the other tab', () => {
    const here = draftOf(
      upload('a', 'done', { sent: 8 }),
      upload('b', 'uploading', { sent: 5 }),
      upload('c', 'waiting'),
    )
    const other = draftOf(upload('a', 'uploading', { sent: 6 }), upload('b', 'needs-file'))
    expect(mergedDraft(here, other, own('a', 'b', 'c')).files).toEqual(here.files)
  })

  it('keeps fields that are not stored: descriptors with keys, and errors of files', () => {
    const secret = location('s', { type: 's3', s3Access: { secretAccessKey: 'x' } })
    const failed = upload('f', 'failed', { error: new Error('no room') })
    const other = { ...draftOf(upload('f', 'failed')), name: 'Tides' }
    expect(mergedDraft(draftOf(secret, failed), other, own())).toEqual({ ...other, files: [failed, secret] })
    const again = draftOf(upload('f', 'needs-file'))
    expect(mergedDraft(draftOf(failed), again, own())).toEqual(again)
  })
})
