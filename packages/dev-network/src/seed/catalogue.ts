import type { Sample } from './sample.js'
import { HARBOUR } from './samples/harbour.js'
import { INSTITUTE } from './samples/institute.js'
import { MUSEUM } from './samples/museum.js'
import { SURVEY } from './samples/survey.js'

/** The sample assets: several publishers, kinds of storage, prices and states. */
export const CATALOGUE: readonly Sample[] = [...HARBOUR, ...INSTITUTE, ...SURVEY, ...MUSEUM]
