import * as parse from '../parsers/index.js'
import { setting } from '../setting.js'

/** Provider keys. */
export const KEYS = {
  PROVIDER_PRIVATE_KEY: setting({
    parse: parse.perChain(parse.privateKey),
    default: { byChain: new Map() },
    required: true,
    secret: true,
    alternatives: ['UNIVERSAL_PRIVATE_KEY', 'KEYSTORE'],
    doc: 'The private key (32 bytes of hex) that signs quotes and decrypts files; one for all chains, or JSON by chain id.',
  }),
  UNIVERSAL_PRIVATE_KEY: setting({
    parse: parse.privateKey,
    secret: true,
    doc: 'The private key of every chain that neither PROVIDER_PRIVATE_KEY nor KEYSTORE names.',
  }),
  KEYSTORE: setting({
    parse: parse.perChain(parse.text),
    doc: 'Path of an encrypted JSON file (Web3 Secret Storage version 3) with the private key, instead of PROVIDER_PRIVATE_KEY; one for all chains, or JSON by chain id. tidegate keys creates such files.',
    example: '/etc/tidegate/key.json',
  }),
  KEYSTORE_PASSWORD: setting({
    parse: parse.text,
    secret: true,
    doc: 'Password of the encrypted files; preferably set as KEYSTORE_PASSWORD_FILE.',
  }),
  PREVIOUS_PRIVATE_KEYS: setting({
    parse: parse.perChain(parse.privateKeys),
    secret: true,
    doc: 'Keys that were in use before, separated by commas, or JSON by chain id: documents encrypted to them can still be decrypted, and orders quoted with them remain valid.',
  }),
  PREVIOUS_KEYSTORES: setting({
    parse: parse.perChain(parse.paths),
    doc: 'Paths of encrypted files with previous keys, with the same password, separated by commas, or JSON by chain id.',
  }),
} as const
