import { ERROR_CATALOGUE } from '@tidegate/protocol'
import { FRAMEWORK_ERRORS } from '../../errors.js'
import { named, object } from '../docs.js'

const CODES = [...Object.keys(ERROR_CATALOGUE), ...Object.values(FRAMEWORK_ERRORS).map(([, code]) => code)]

/** The body of every error but VALIDATION. */
export const ERROR = named('Error', {
  ...object({
    error: { type: 'string', description: 'For people: messages may be reworded.' },
    code: { type: 'string', enum: [...new Set(CODES)].filter((code) => code !== 'VALIDATION').sort() },
  }),
  examples: [{ error: 'The chain does not know this transaction.', code: 'ORDER_NOT_FOUND' }],
})

/** The body of a VALIDATION error. */
export const VALIDATION_ERROR = named('ValidationError', {
  ...object({
    errors: { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } },
    message: { const: 'Validation error' },
    success: { const: false },
  }),
  examples: [
    { errors: { serviceId: ['The serviceId field is required.'] }, message: 'Validation error', success: false },
  ],
})
