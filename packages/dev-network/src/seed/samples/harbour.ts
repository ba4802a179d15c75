import { SECONDS } from '@tidegate/protocol/constants'
import * as files from '../files.js'
import { ocean, type Sample } from '../sample.js'

const PUBLISHER = { publisher: 1, author: 'Harbour Office' } as const

/** Sample assets of the harbour office. */
export const HARBOUR: readonly Sample[] = [
  {
    ...PUBLISHER,
    key: 'tide tables',
    from: { hosted: [files.tideTables(2026)] },
    name: 'Tide tables 2026',
    description:
      'High and low water for every day of the year, in metres above chart datum. Computed from 19 years of readings.',
    license: 'CC-BY-4.0',
    tags: ['tides', 'navigation', 'csv'],
    price: ocean('5'),
    timeout: 30 * SECONDS.day,
    published: 60,
    orders: { 3: [1], 4: [58, 27], 5: [55, 22], 7: [51, 13], 9: [44, 6] },
  },
  {
    ...PUBLISHER,
    key: 'water levels',
    from: { served: files.waterLevels },
    name: 'Water levels of October, minute by minute',
    description: 'Readings of the gauge at the outer pier: one file for each day, one line for each minute.',
    license: 'CC-BY-4.0',
    tags: ['tides', 'gauge', 'time series', 'csv'],
    price: ocean('12.5'),
    timeout: 90 * SECONDS.day,
    published: 40,
    orders: { 4: [20], 5: [35], 7: [8] },
  },
  {
    ...PUBLISHER,
    key: 'map of the harbour',
    from: { hosted: [files.harbourMap] },
    name: 'Berths of the harbour, with depths',
    description: 'All 40 berths as points with their depth at low water, as GeoJSON.',
    license: 'CC0-1.0',
    tags: ['map', 'navigation', 'geojson'],
    price: 'free',
    timeout: 0,
    published: 57,
    orders: { 2: [30], 3: [17], 4: [50], 5: [33], 7: [56], 9: [41] },
  },
  {
    ...PUBLISHER,
    key: 'old tide tables',
    from: { hosted: [files.tideTables(2024)] },
    name: 'Tide tables 2024',
    description: 'The tables of two years ago, with an error in March. Replaced by those of 2026.',
    license: 'CC-BY-4.0',
    tags: ['tides', 'csv'],
    price: ocean('2'),
    timeout: 30 * SECONDS.day,
    published: 59,
    orders: { 9: [54] },
    retired: 45,
  },
]
