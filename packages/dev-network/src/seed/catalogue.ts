import type { FileObject } from '@tidegate/client'
import type { Address } from 'viem'
import { DEV_CHAIN_ID } from '../anvil.js'
import type { AddressEntry } from '../deploy.js'
import type { SampleFile } from './files.js'
import * as files from './files.js'

/** An asset of the sample data. Accounts are those of the local network, by number; days are counted back from today. */
export interface Sample {
  key: string
  publisher: number
  /** Uploaded to the service, served by the local file server, or read from a contract. */
  from:
    | { hosted: readonly SampleFile[] }
    | { served: readonly SampleFile[] }
    | { contract: (addresses: AddressEntry) => FileObject }
  name: string
  description: string
  author: string
  license: string
  tags: readonly string[]
  price: 'free' | { amount: string; token: 'Ocean' | 'MockDAI' | 'MockUSDC' }
  /** Seconds for which an order holds; 0 for ever. */
  timeout: number
  /** The only accounts that may buy. */
  allow?: readonly number[]
  published: number
  /** Orders: the day, and the account that bought. */
  orders: readonly (readonly [day: number, buyer: number])[]
  retired?: number
}

const DAY = 86_400
const HARBOUR = { publisher: 1, author: 'Harbour Office' } as const
const INSTITUTE = { publisher: 2, author: 'Institute for Coastal Research' } as const
const SURVEY = { publisher: 3, author: 'Blue Survey Ltd' } as const
const ARCHIVE = { publisher: 6, author: 'Tug Museum' } as const
const ocean = (amount: string) => ({ amount, token: 'Ocean' }) as const
const usdc = (amount: string) => ({ amount, token: 'MockUSDC' }) as const
const dai = (amount: string) => ({ amount, token: 'MockDAI' }) as const

/** A call of a token's contract. */
function totalSupply(address: Address): FileObject {
  const outputs = [{ name: '', type: 'uint256' }]
  const abi = { type: 'function', name: 'totalSupply', stateMutability: 'view', inputs: [], outputs }
  return { type: 'smartcontract', chainId: DEV_CHAIN_ID, address, abi }
}

/** The sample data: several publishers, kinds of storage, prices and states. */
export const CATALOGUE: readonly Sample[] = [
  {
    ...HARBOUR,
    key: 'tide tables',
    from: { hosted: [files.tideTables(2026)] },
    name: 'Tide tables 2026',
    description:
      'High and low water for every day of the year, in metres above chart datum. Computed from 19 years of readings.',
    license: 'CC-BY-4.0',
    tags: ['tides', 'navigation', 'csv'],
    price: ocean('5'),
    timeout: 30 * DAY,
    published: 60,
    orders: [
      [58, 4],
      [55, 5],
      [51, 7],
      [44, 9],
      [27, 4],
      [22, 5],
      [13, 7],
      [6, 9],
      [1, 3],
    ],
  },
  {
    ...HARBOUR,
    key: 'water levels',
    from: { served: files.waterLevels },
    name: 'Water levels of October, minute by minute',
    description: 'Readings of the gauge at the outer pier: one file for each day, one line for each minute.',
    license: 'CC-BY-4.0',
    tags: ['tides', 'gauge', 'time series', 'csv'],
    price: ocean('12.5'),
    timeout: 90 * DAY,
    published: 40,
    orders: [
      [35, 5],
      [20, 4],
      [8, 7],
    ],
  },
  {
    ...HARBOUR,
    key: 'map of the harbour',
    from: { hosted: [files.harbourMap] },
    name: 'Berths of the harbour, with depths',
    description: 'All 40 berths as points with their depth at low water, as GeoJSON.',
    license: 'CC0-1.0',
    tags: ['map', 'navigation', 'geojson'],
    price: 'free',
    timeout: 0,
    published: 57,
    orders: [
      [56, 7],
      [50, 4],
      [41, 9],
      [33, 5],
      [30, 2],
      [17, 3],
    ],
  },
  {
    ...HARBOUR,
    key: 'old tide tables',
    from: { hosted: [files.tideTables(2024)] },
    name: 'Tide tables 2024',
    description: 'The tables of two years ago, with an error in March. Replaced by those of 2026.',
    license: 'CC-BY-4.0',
    tags: ['tides', 'csv'],
    price: ocean('2'),
    timeout: 30 * DAY,
    published: 59,
    orders: [[54, 9]],
    retired: 45,
  },
  {
    ...INSTITUTE,
    key: 'sea temperature',
    from: { served: [files.seaTemperature] },
    name: 'Sea surface temperature, as a picture',
    description: 'Composite of seven days without clouds. Warm water is red.',
    license: 'CC-BY-SA-4.0',
    tags: ['temperature', 'satellite', 'picture'],
    price: 'free',
    timeout: 0,
    published: 52,
    orders: [
      [49, 5],
      [37, 4],
      [12, 7],
    ],
  },
  {
    ...INSTITUTE,
    key: 'stations',
    from: { hosted: [files.stations] },
    name: 'Measuring stations of the coast',
    description: 'Tide gauges, wave buoys and weather masts, with the year since which each of them measures.',
    license: 'ODbL-1.0',
    tags: ['stations', 'catalogue', 'json'],
    price: usdc('2.5'),
    timeout: 365 * DAY,
    published: 48,
    orders: [
      [47, 7],
      [32, 9],
      [15, 4],
      [4, 5],
    ],
  },
  {
    ...INSTITUTE,
    key: 'wave buoy',
    from: { served: [files.buoy] },
    name: 'Wave buoy, the last 2,000 hours',
    description: 'Significant wave height, period and direction. An order holds for one day.',
    license: 'CC-BY-4.0',
    tags: ['waves', 'buoy', 'time series', 'csv'],
    price: ocean('0.05'),
    timeout: DAY,
    published: 39,
    orders: [
      [38, 4],
      [36, 4],
      [34, 7],
      [31, 4],
      [28, 5],
      [26, 4],
      [24, 9],
      [19, 4],
      [16, 7],
      [11, 4],
      [9, 5],
      [5, 4],
      [2, 7],
    ],
  },
  {
    ...SURVEY,
    key: 'channel survey',
    from: { hosted: [files.surveyReport] },
    name: 'Survey of the navigation channel',
    description:
      'Depths every hundred metres over sixteen kilometres, by multibeam echo sounder. The report is a PDF of four pages.',
    license: 'Single user, no redistribution',
    tags: ['survey', 'depth', 'pdf'],
    price: dai('20'),
    timeout: 0,
    published: 46,
    orders: [
      [43, 4],
      [25, 9],
      [3, 5],
    ],
  },
  {
    ...SURVEY,
    key: 'ship movements',
    from: { hosted: [files.shipMovements] },
    name: 'Ship movements of the year',
    description: 'Arrivals by day, berth and tonnage. For the partners of the port alone: only their accounts may buy.',
    license: 'Partners of the port, under contract',
    tags: ['traffic', 'restricted', 'csv'],
    price: usdc('40'),
    timeout: 180 * DAY,
    allow: [4, 5],
    published: 29,
    orders: [
      [23, 4],
      [10, 5],
    ],
  },
  {
    ...SURVEY,
    key: 'aerial pictures',
    from: { served: files.aerialTiles },
    name: 'Aerial pictures for training, 24 tiles',
    description: 'Land and water, 128 by 128 pixels each, for models that tell them apart.',
    license: 'CC-BY-NC-4.0',
    tags: ['pictures', 'training data', 'png'],
    price: dai('15.75'),
    timeout: 0,
    published: 21,
    orders: [
      [18, 7],
      [7, 4],
    ],
  },
  {
    ...INSTITUTE,
    key: 'forecast',
    from: { hosted: files.forecast },
    name: 'Wind of the next ten days',
    description: 'Output of a coastal model: the table, its parameters, a picture of the field, and how to read them.',
    license: 'CC-BY-4.0',
    tags: ['wind', 'forecast', 'csv', 'json', 'picture'],
    price: ocean('8'),
    timeout: 10 * DAY,
    published: 14,
    orders: [
      [13.5, 5],
      [2.5, 4],
    ],
  },
  {
    ...INSTITUTE,
    key: 'supply',
    from: { contract: ({ Ocean }) => totalSupply(Ocean) },
    name: 'Total supply of OCEAN, as it is now',
    description: 'Not a file, but a call of the contract: each download answers what the chain says at that moment.',
    license: 'CC0-1.0',
    tags: ['on-chain', 'token', 'json'],
    price: 'free',
    timeout: DAY,
    published: 26,
    orders: [
      [24.5, 9],
      [9.2, 4],
    ],
  },
  {
    ...ARCHIVE,
    key: 'logbook',
    from: { hosted: [files.logbook] },
    name: 'Logbook of the tug Wilhelmine, 1926',
    description: 'Transcribed by volunteers.\n\nOne line for each day: wind by the Beaufort scale, and ships assisted.',
    license: 'CC0-1.0',
    tags: ['history', 'text'],
    price: 'free',
    timeout: 0,
    published: 12.5,
    orders: [
      [9.5, 3],
      [5.5, 9],
      [1.5, 4],
    ],
  },
  {
    ...ARCHIVE,
    key: 'underwater sound',
    from: { served: [files.soundLevels] },
    name: 'Underwater sound at the old lock, one week',
    description: 'Sound pressure in two bands, one line for each minute of a week.',
    license: 'CC-BY-4.0',
    tags: ['sound', 'time series', 'csv'],
    price: usdc('1.25'),
    timeout: 7 * DAY,
    published: 6.5,
    orders: [
      [4.5, 7],
      [0.5, 4],
    ],
  },
]
