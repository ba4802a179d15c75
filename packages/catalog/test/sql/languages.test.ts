import { rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { onPostgres } from '../../../../test/helpers/on-postgres.js'
import { type PostgresDatabase, startPostgres } from '../../../../test/helpers/postgres-database.js'
import { DATABASE_FILE } from '../../../database/src/sqlite/sqlite-file.js'
import { readSearch } from '../../src/search/request/request.js'
import { type Catalog, postgresCatalog, sqliteCatalog } from '../catalog.js'
import { CHAIN, published, SCOPE } from './published.js'

const FIELDS = ['metadata.name^10', 'metadata.description', 'metadata.author', 'metadata.tags']

interface Language {
  /** What is published, as the name of one asset and in the long description of another. */
  text: string
  found: string[]
  /** Of which at least a letter differs. */
  missed: string[]
}

/** No text has what is looked for in another one. */
const LANGUAGES: Record<string, Language> = {
  Chinese: {
    text: '东海海洋数据集，iPhone手机采集2024年',
    found: [
      '海洋',
      '数据',
      '海洋数据',
      '手机',
      'iphone手机',
      '机',
      '集',
      '年',
      '"2024年"',
      '"iPhone 手机"',
      'ＩＰＨＯＮＥ',
    ],
    missed: ['数海', '洋海', '"手机 采集数"', '手机壳', '"2025年"'],
  },
  Japanese: {
    text: '気象庁の観測データをまとめた、天気予報ﾚﾎﾟｰﾄ・がいよう',
    found: ['観測', '観測データ', 'データ', 'ﾃﾞｰﾀ', '予報', 'レポート', '庁', 'がいよう'],
    missed: ['テータ', 'レホート', 'かいよう', '測観', 'まとめる'],
  },
  Korean: {
    text: '서울특별시의 대기질측정자료를 모았습니다',
    found: ['대기질', '측정자료', '자료', '서울', '질', '측정자료를'],
    missed: ['자룡', '대기압', '서을'],
  },
  Thai: {
    text: 'ข้อมูลอุณหภูมิน้ำทะเลอ่าวไทย',
    found: ['ข้อมูล', 'อุณหภูมิ', 'ทะเล', 'น้ำทะเล', 'อ่าวไทย', 'ไทย'],
    missed: ['ขอมูล', 'ทะเลย', 'นาทะเล', 'อาว'],
  },
  Lao: {
    text: 'ຂໍ້ມູນແມ່ນ້ຳຂອງ',
    found: ['ຂໍ້ມູນ', 'ແມ່ນ້ຳ', 'ຂອງ'],
    missed: ['ຂມນ', 'ແມນ້ຳ', 'ມູນຂໍ້'],
  },
  Khmer: {
    text: 'ទិន្នន័យ\u200bអាកាសធាតុនៅកម្ពុជា',
    found: ['ទិន្នន័យ', 'អាកាសធាតុ', 'កម្ពុជា', 'ទិន្នន័យអាកាសធាតុ'],
    missed: ['កម្ពុជុ', 'ធាតូ', 'កមពុជា'],
  },
  Burmese: {
    text: 'မြန်မာနိုင်ငံမိုးလေဝသအချက်အလက်',
    found: ['မြန်မာ', 'နိုင်ငံ', 'မိုးလေဝသ', 'အချက်အလက်'],
    missed: ['မြန်မိ', 'မိုးလေဝာ', 'အလက်အချက်'],
  },
  Tibetan: {
    text: 'བོད་ཀྱི་གནམ་གཤིས',
    found: ['གནམ', 'གནམ་གཤིས', '"བོད་ཀྱི"'],
    missed: ['བད', 'ཀ', '"གནམ་བོད"'],
  },
  Hindi: {
    text: 'समुद्री तापमान के आँकड़े',
    found: ['समुद्री', 'तापमान', 'ताप*', 'आँकड़े'],
    missed: ['समद्र', 'तपमान', 'मान'],
  },
  Tamil: {
    text: 'கடல்நீர் வெப்பநிலை',
    found: ['கடல்நீர்', 'கடல்*', 'வெப்பநிலை'],
    missed: ['கடலநர', 'நீர்'],
  },
  Arabic: {
    text: 'بيانات المُحِيط الهَادِئ وأســـعار النفط',
    found: ['المحيط', 'المُحيط', 'الهادئ', 'واسعار', 'محيط OR النفط', 'المح*'],
    missed: ['المحط', 'محيط'],
  },
  Persian: {
    text: 'داده‌های بارندگی',
    found: ['داده‌های', 'دادههای', 'بارندگی'],
    missed: ['های', 'بارنده'],
  },
  Hebrew: {
    text: 'נְתוּנֵי אֲקָלִים',
    found: ['נתוני', 'אקלים', 'נְתוּנֵי', 'אקל*'],
    missed: ['נתן', 'קלים'],
  },
  German: {
    text: 'Meeresoberflächentemperatur an der Weserstraße',
    found: ['meeresoberflachentemperatur', 'Meeresober*', 'WESERSTRASSE', 'weserstraße', 'WESERSTRAẞE', '*meeres*'],
    missed: ['oberflächen', 'weserstrase', 'wesers'],
  },
  Turkish: {
    text: 'İzmir ve ISPARTA yağışları',
    found: ['izmir', 'İZMİR', 'ızmır', 'ısparta', 'isparta', 'yagislari', 'YAĞIŞLARI'],
    missed: ['ızmar', 'yagisler'],
  },
  Greek: {
    text: 'Θερμοκρασία Ωκεανός',
    found: ['θερμοκρασια', 'ΩΚΕΑΝΟΣ', 'ωκεανος', 'ωκεανός', 'ωκεανοσ*'],
    missed: ['ωκεανο', 'θερμοκρασιε'],
  },
  Polish: { text: 'Łódź powietrze', found: ['lodz', 'łódź', 'ŁÓDŹ', 'Łód*'], missed: ['lodzi', 'odz'] },
  Vietnamese: { text: 'Dữ liệu Đà Nẵng', found: ['du lieu', 'Đà', 'da', 'nẵng', 'NANG'], missed: ['danang', 'nag'] },
  French: {
    text: 'Don\u00adnées de l’œuvre, ﬁche côtière',
    found: ['donnees', 'DONNÉES', 'oeuvre', 'fiche', 'cotie\u0301re', 'côti*'],
    missed: ['donnes', 'iche'],
  },
  Russian: { text: 'Ещё данные о погоде', found: ['еще', 'ЕЩЁ', 'погод*'], missed: ['ещо', 'дата'] },
}

/** As an upgrade does that makes other words of documents: they are written anew in the background, and found meanwhile. */
const REWRITE = `INSERT INTO search_pending (chain_id, nft, findable)
  SELECT chain_id, nft, 1 FROM search_document WHERE true ON CONFLICT DO NOTHING`

describe.each(['embedded', 'PostgreSQL'])('search in many languages, in a database: %s', (kind) => {
  let store: Catalog
  let server: PostgresDatabase | undefined
  let folder: string | undefined
  const dids = new Map<string, string[]>()

  beforeAll(async () => {
    if (kind === 'embedded') folder = newFolder()
    else server = await startPostgres()
    store = await open()
    const changes = Object.entries(LANGUAGES).flatMap(([name, { text }], at) => {
      const metadata = [{ name: text }, { name: 'long', description: `${'. '.repeat(200)}${text}` }]
      const assets = metadata.map((one, place) => published(2 * at + place + 1, { ...one, type: 'dataset' }))
      dids.set(name, assets.map(({ did }) => did).sort())
      return assets.flatMap((asset) => asset.changes)
    })
    const to = { block: 1, hash: '0x1' } as const
    expect(await store.index.commit({ chainId: CHAIN, from: undefined, to, changes })).toBe(true)
  })
  afterAll(async () => {
    await store.close()
    if (folder) rmSync(folder, { recursive: true })
  })

  async function open(): Promise<Catalog> {
    if (folder) return sqliteCatalog(folder)
    return postgresCatalog({ url: (server as PostgresDatabase).url(), connections: 3, timeout: 60_000 })
  }

  async function found(query: string, isFiltered: boolean): Promise<string[]> {
    const text = { query_string: { query, fields: FIELDS, default_operator: 'AND' } }
    const filter = [{ term: { 'metadata.type': 'dataset' } }]
    const search = readSearch({ query: isFiltered ? { bool: { must: [text], filter } } : text, size: 100 })
    const { hits } = await store.search.find(search, SCOPE)
    return hits.map(({ did }) => did).sort()
  }

  it.each(
    Object.keys(LANGUAGES),
  )('finds what is written in %s, in names and in long texts, and nothing else', async (name) => {
    const { found: parts, missed } = LANGUAGES[name] as Language
    for (const isFiltered of [false, true]) {
      for (const part of parts) expect(await found(part, isFiltered), part).toEqual(dids.get(name))
      for (const part of missed) expect(await found(part, isFiltered), part).toEqual([])
    }
  })

  it('takes what is typed so far, with the stars and escapes of front ends', async () => {
    // beginnings of two Latin letters are not looked for in long texts
    for (const [name, { found: parts }] of Object.entries(LANGUAGES))
      for (const part of parts.filter((one) => !/[" *]|^\p{sc=Latn}{1,2}$/u.test(one)))
        for (const query of [`${part}*`, `*${part}*`, `\\${part}*`])
          expect(await found(query, true), query).toEqual(dids.get(name))
    for (const query of ['数海*', '*洋海*', 'iPhone壳*', 'ทะเลย*']) expect(await found(query, true), query).toEqual([])
    const typed = ['ท', 'ที', 'ที่'].map((one) => `น้ำทะเลอ่าวไ${one}*`)
    for (const query of typed)
      expect(await found(query, true), query).toEqual(query === typed[0] ? dids.get('Thai') : [])
  })

  it('takes whole values for tags, and phrases for parts of texts', async () => {
    const { search } = store
    const count = async (query: object) => (await search.find(readSearch({ query }), SCOPE)).total?.value
    const { text } = LANGUAGES.Chinese as Language
    expect(await count({ term: { 'metadata.name': text } })).toBe(1)
    expect(await count({ term: { 'metadata.name': '海洋' } })).toBe(0)
    expect(await count({ term: { 'metadata.name': '年' } })).toBe(0)
    expect(await count({ match_phrase: { 'metadata.name': '海洋数据' } })).toBe(1)
    expect(await count({ match_phrase: { 'metadata.name': '海洋手机' } })).toBe(0)
    expect(await count({ multi_match: { query: '手机', fields: FIELDS, type: 'phrase' } })).toBe(2)
  })

  it('finds what is rewritten in the background once it is', async () => {
    expect(await found('海洋', true)).toHaveLength(2)
    await store.close()
    // as if an earlier version had found nothing in these texts
    if (folder) {
      const file = new Database(join(folder, DATABASE_FILE))
      file.exec(`DELETE FROM search_text; ${REWRITE}`)
      file.close()
    } else {
      await onPostgres((server as PostgresDatabase).url(), `UPDATE search_text SET tsv = ''; ${REWRITE}`)
    }
    store = await open()
    expect(await found('海洋', true)).toEqual([])
    while (await store.search.buildSome());
    for (const [name, { found: parts }] of Object.entries(LANGUAGES))
      expect(await found(parts[0] as string, true)).toEqual(dids.get(name))
  })
})
