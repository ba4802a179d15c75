import { SECONDS } from '@tidegate/protocol/constants'
import * as files from '../files.js'
import { type Sample, usdc } from '../sample.js'

const PUBLISHER = { publisher: 6, author: 'Tug Museum' } as const

/** Sample assets of the museum. */
export const MUSEUM: readonly Sample[] = [
  {
    ...PUBLISHER,
    key: 'logbook',
    from: { hosted: [files.logbook] },
    name: 'Logbook of the tug Wilhelmine, 1926',
    description: 'Transcribed by volunteers.\n\nOne line for each day: wind by the Beaufort scale, and ships assisted.',
    license: 'CC0-1.0',
    tags: ['history', 'text'],
    price: 'free',
    timeout: 0,
    published: 12.5,
    orders: { 3: [9.5], 4: [1.5], 9: [5.5] },
  },
  {
    ...PUBLISHER,
    key: 'underwater sound',
    from: { served: [files.soundLevels] },
    name: 'Underwater sound at the old lock, one week',
    description: 'Sound pressure in two bands, one line for each minute of a week.',
    license: 'CC-BY-4.0',
    tags: ['sound', 'time series', 'csv'],
    price: usdc('1.25'),
    timeout: 7 * SECONDS.day,
    published: 6.5,
    orders: { 4: [0.5], 7: [4.5] },
  },
]
