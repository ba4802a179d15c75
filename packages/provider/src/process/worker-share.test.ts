import { expect, it } from 'vitest'
import { SETTINGS, type Settings } from '../config/schema.js'
import { shareOf } from './worker-share.js'

it('divides maxima of the service among its workers, and leaves all other settings alone', () => {
  const defaults = Object.fromEntries(
    Object.entries(SETTINGS).map(([name, setting]) => [name, (setting as { default?: unknown }).default]),
  )
  const settings = { ...defaults, WORKERS: 8, MAX_ANONYMOUS: 3 } as Settings
  const share = shareOf(settings)
  expect(share).toEqual({
    ...settings,
    MAX_CONNECTIONS: 2048,
    MAX_DOWNLOADS: 512,
    MAX_ANONYMOUS: 1,
    STORAGE_MAX_REQUESTS: 512,
    STORAGE_MAX_PER_HOST: 32,
    DESCRIBE_MAX_REQUESTS: 32,
    DESCRIBE_MAX_PER_HOST: 4,
    HOSTING_MAX_UPLOADS: 25,
    DATABASE_CONNECTIONS: 2,
  })
  expect(shareOf({ ...settings, WORKERS: 1 })).toEqual({ ...settings, WORKERS: 1 })
})
