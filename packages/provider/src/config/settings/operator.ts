import * as parse from '../parsers/index.js'
import { setting } from '../setting.js'

const link = (doc: string, path: string) =>
  setting({ parse: parse.webPage, doc, example: `https://${path}.example.org` })

/** Who runs the service: public, shown in the console, at / and in the API documentation. */
export const OPERATOR = {
  OPERATOR_NAME: setting({
    parse: parse.shortText(100),
    doc: 'Name of the operator, up to 100 characters, which the console shows in its head and foot.',
    example: 'Tide Tables Ltd.',
  }),
  OPERATOR_URL: link("The operator's web site, which the name links to.", 'www'),
  OPERATOR_CONTACT: setting({
    parse: parse.contact,
    doc: 'How consumers reach the operator: an e-mail address or an http(s) URL.',
    example: 'help@market.example.org',
  }),
  OPERATOR_LOGO: setting({
    parse: parse.text,
    doc: 'Path of a picture (SVG, PNG, WebP, JPEG) of up to 256 KiB, the mark of the console.',
    example: '/etc/tidegate/logo.svg',
  }),
  IMPRINT_URL: link("The operator's imprint.", 'imprint'),
  PRIVACY_URL: link("The operator's privacy policy.", 'privacy'),
  VERIFIED_PUBLISHERS: setting({
    parse: parse.verifiedPublishers,
    doc: 'Names of publishers that the operator has verified, up to 200: 0xADDRESS=Name separated by commas, or a JSON object from address to name for names with commas. A name has up to 60 characters. The console, the pages of the catalogue, the commands and agents show it as verified by the operator, for assets that the account owns and has described itself. Public.',
    example: '{"0x…":"Harbour Office, Brest"}',
  }),
  TERMS_URL: link("The operator's terms of service.", 'terms'),
} as const
