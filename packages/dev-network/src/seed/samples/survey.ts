import { SECONDS } from '@tidegate/protocol/constants'
import * as files from '../files.js'
import { dai, type Sample, usdc } from '../sample.js'

const PUBLISHER = { publisher: 3, author: 'Blue Survey Ltd' } as const

/** Sample assets of the survey company. */
export const SURVEY: readonly Sample[] = [
  {
    ...PUBLISHER,
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
    orders: { 4: [43], 5: [3], 9: [25] },
  },
  {
    ...PUBLISHER,
    key: 'ship movements',
    from: { hosted: [files.shipMovements] },
    name: 'Ship movements of the year',
    description: 'Arrivals by day, berth and tonnage. For the partners of the port alone: only their accounts may buy.',
    license: 'Partners of the port, under contract',
    tags: ['traffic', 'restricted', 'csv'],
    price: usdc('40'),
    timeout: 180 * SECONDS.day,
    allow: [4, 5],
    published: 29,
    orders: { 4: [23], 5: [10] },
  },
  {
    ...PUBLISHER,
    key: 'aerial pictures',
    from: { served: files.aerialTiles },
    name: 'Aerial pictures for training, 24 tiles',
    description: 'Land and water, 128 by 128 pixels each, for models that tell them apart.',
    license: 'CC-BY-NC-4.0',
    tags: ['pictures', 'training data', 'png'],
    price: dai('15.75'),
    timeout: 0,
    published: 21,
    orders: { 4: [7], 7: [18] },
  },
]
