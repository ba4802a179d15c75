import { ERROR_CATALOGUE, type ErrorCode } from '@tidegate/protocol'
import { BINARY, type EndpointDoc, json } from '../endpoints/docs.js'
import { ERROR } from '../endpoints/schemas/errors.js'

/** The bytes, with the content type of the file. */
const ANY_CONTENT = { 'application/octet-stream': { schema: BINARY }, '*/*': { schema: BINARY } }

const VALIDATOR = {
  description: "The service's own validator of this file; it replaces the storage's and reveals nothing about it",
  schema: { type: 'string' },
}

const FILE_HEADERS: EndpointDoc['responses'][number]['headers'] = {
  'Content-Disposition': { description: 'attachment, with the name of the file', schema: { type: 'string' } },
  'Content-Range': { description: 'The range of bytes, and the total', schema: { type: 'string' } },
  ETag: VALIDATOR,
}

/** Errors of every request for a file that was bought. */
export const FILE_ERRORS = (Object.keys(ERROR_CATALOGUE) as ErrorCode[]).filter((code) =>
  /^(ORDER_|CONSUMER_|PURGATORY|TAKEN_|RBAC_|POLICY_|STORAGE_|TOKEN_|DID_|UNKNOWN_SERVICE|FILES_|NO_SUCH|ASSET_NOT_C|CREDENTIALS|NOT_AN_ACCESS|CHAIN_)/.test(
    code,
  ),
)

/** Request headers of an endpoint that sends files. */
export const FILE_REQUEST_HEADERS = {
  Range: 'The bytes wanted, as in RFC 9110, for example bytes=0-1023.',
  'If-Range': 'Validator (ETag or Last-Modified of an earlier response) that the range depends on.',
  'If-None-Match': 'ETag of a cached copy: 304 if it still matches.',
  'If-Modified-Since': 'Time of a cached copy: 304 if the file is not newer.',
}

/** Responses of an endpoint that sends files. */
export const FILE_RESPONSES: EndpointDoc['responses'] = {
  200: { description: 'The file.', content: ANY_CONTENT, headers: FILE_HEADERS },
  206: { description: 'A part of the file.', content: ANY_CONTENT, headers: FILE_HEADERS },
  304: { description: 'Not modified.', headers: { ETag: VALIDATOR } },
  416: json('The range lies outside of the file.', ERROR),
}
