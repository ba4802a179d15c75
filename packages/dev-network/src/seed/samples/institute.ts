import type { FileObject } from '@tidegate/client'
import { SECONDS } from '@tidegate/protocol/constants'
import type { Address } from 'viem'
import { DEV_CHAIN_ID } from '../../anvil.js'
import * as files from '../files.js'
import { ocean, type Sample, usdc } from '../sample.js'

const PUBLISHER = { publisher: 2, author: 'Institute for Coastal Research' } as const

/** Returns a file that calls a token contract. */
function totalSupply(address: Address): FileObject {
  const outputs = [{ name: '', type: 'uint256' }]
  const abi = { type: 'function', name: 'totalSupply', stateMutability: 'view', inputs: [], outputs }
  return { type: 'smartcontract', chainId: DEV_CHAIN_ID, address, abi }
}

/** Sample assets of the research institute. */
export const INSTITUTE: readonly Sample[] = [
  {
    ...PUBLISHER,
    key: 'sea temperature',
    from: { served: [files.seaTemperature] },
    name: 'Sea surface temperature, as a picture',
    description: 'Composite of seven days without clouds. Warm water is red.',
    license: 'CC-BY-SA-4.0',
    tags: ['temperature', 'satellite', 'picture'],
    price: 'free',
    timeout: 0,
    published: 52,
    orders: { 4: [37], 5: [49], 7: [12] },
  },
  {
    ...PUBLISHER,
    key: 'stations',
    from: { hosted: [files.stations] },
    name: 'Measuring stations of the coast',
    description: 'Tide gauges, wave buoys and weather masts, with the year since which each of them measures.',
    license: 'ODbL-1.0',
    tags: ['stations', 'catalogue', 'json'],
    price: usdc('2.5'),
    timeout: 365 * SECONDS.day,
    published: 48,
    orders: { 4: [15], 5: [4], 7: [47], 9: [32] },
  },
  {
    ...PUBLISHER,
    key: 'wave buoy',
    from: { served: [files.buoy] },
    name: 'Wave buoy, the last 2,000 hours',
    description: 'Significant wave height, period and direction. An order holds for one day.',
    license: 'CC-BY-4.0',
    tags: ['waves', 'buoy', 'time series', 'csv'],
    price: ocean('0.05'),
    timeout: SECONDS.day,
    published: 39,
    orders: { 4: [38, 36, 31, 26, 19, 11, 5], 5: [28, 9], 7: [34, 16, 2], 9: [24] },
  },
  {
    ...PUBLISHER,
    key: 'forecast',
    from: { hosted: files.forecast },
    name: 'Wind of the next ten days',
    description: 'Output of a coastal model: the table, its parameters, a picture of the field, and how to read them.',
    license: 'CC-BY-4.0',
    tags: ['wind', 'forecast', 'csv', 'json', 'picture'],
    price: ocean('8'),
    timeout: 10 * SECONDS.day,
    published: 14,
    orders: { 4: [2.5], 5: [13.5] },
  },
  {
    ...PUBLISHER,
    key: 'supply',
    from: { contract: ({ Ocean }) => totalSupply(Ocean) },
    name: 'Total supply of OCEAN, as it is now',
    description: 'Not a file, but a call of the contract: each download answers what the chain says at that moment.',
    license: 'CC0-1.0',
    tags: ['on-chain', 'token', 'json'],
    price: 'free',
    timeout: SECONDS.day,
    published: 26,
    orders: { 4: [9.2], 9: [24.5] },
  },
]
