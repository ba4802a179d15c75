import type { Chain } from '@tidegate/chain'
import { tokensOf } from '@tidegate/protocol/networks'
import type { FastifyRequest } from 'fastify'
import { operatorOf, verifiedNames } from '../../config/operator.js'
import type { Settings } from '../../config/schema.js'
import type { Console } from '../../console/console.js'
import { packageVersion } from '../../version.js'
import { varyBy, wantsPage } from '../console/accept.js'
import { ADDRESS, json, named, object } from '../endpoints/docs.js'
import type { Endpoint } from '../endpoints/endpoint.js'
import { ownUrl } from '../endpoints/public-url.js'
import type { Services } from '../services.js'

const CONTRACTS = named(
  'Contracts',
  object(
    {
      ERC721Factory: { ...ADDRESS, description: 'Deploys data NFTs and datatokens, and names its router.' },
      Ocean: { ...ADDRESS, description: 'The OCEAN token.' },
      AccessListFactory: { ...ADDRESS, description: 'Deploys access lists.' },
      tokens: { type: 'object', additionalProperties: ADDRESS, description: 'Tokens by symbol, for prices.' },
    },
    ['Ocean', 'AccessListFactory'],
  ),
)

const SIGN_IN = named('SignIn', {
  ...object({
    url: { type: 'string', format: 'uri', description: 'The URL that a message must name.' },
    required: { type: 'boolean', description: 'Whether every other signed text is refused.' },
    maxLifetime: { type: 'integer', description: 'The longest lifetime of a token, in seconds.' },
    linkLifetime: { type: 'integer', description: 'The lifetime of a download link, in seconds.' },
  }),
  description:
    'How tokens are created by EIP-4361 messages, if PUBLIC_URL is configured or the service listens on loopback only.',
})

const WEB = { type: 'string', format: 'uri' } as const
const OPERATOR = named('Operator', {
  ...object(
    { name: { type: 'string' }, url: WEB, contact: { type: 'string' }, imprint: WEB, privacy: WEB, terms: WEB },
    ['name', 'url', 'contact', 'imprint', 'privacy', 'terms'],
  ),
  description: 'Who runs the service, if that is configured.',
})

const VERIFIED_PUBLISHERS = {
  type: 'object',
  additionalProperties: { type: 'string' },
  description: 'Names that the operator has verified, by account. Absent without any.',
} as const

const ROOT = named(
  'Root',
  object(
    {
      software: { const: 'Tidegate' },
      version: { type: 'string' },
      chainIds: { type: 'array', items: { type: 'integer' } },
      providerAddresses: { type: 'object', additionalProperties: { type: 'string' } },
      contracts: { type: 'object', additionalProperties: CONTRACTS },
      serviceEndpoints: {
        type: 'object',
        additionalProperties: { type: 'array', items: { type: 'string' } },
      },
      signIn: SIGN_IN,
      operator: OPERATOR,
      verifiedPublishers: VERIFIED_PUBLISHERS,
    },
    ['signIn', 'operator', 'verifiedPublishers'],
  ),
)

/** `GET /`: software and version, served chains with provider addresses and contracts, and the paths of all endpoints. */
export function rootEndpoint(endpoints: readonly Endpoint[], console?: Pick<Console, 'path'>): Endpoint {
  return {
    names: [],
    method: 'GET',
    path: '/',
    nonce: 'none',
    doc: {
      operationId: 'getRoot',
      summary: 'Root document',
      description:
        'Software and version, served chains with their provider addresses and contracts, and the path of every endpoint. Browsers, which ask for text/html, are redirected to the console, or else to the public catalogue, if one is on.',
      responses: {
        200: json('The root document.', ROOT),
        302: { description: 'The console or the catalogue, for browsers.' },
      },
    },
    register(app, services) {
      const document = rootDocument(endpoints, services)
      const { CATALOGUE, PUBLIC_URL = '' } = services.settings
      const page = console?.path ?? (CATALOGUE === 'public' ? `${PUBLIC_URL}/catalogue` : undefined)
      app.get(this.path, async (request, reply) => {
        const answer = () => ({ ...document, ...signIn(request, services.settings) })
        if (page === undefined) return answer()
        varyBy(reply, 'Accept')
        return wantsPage(request) ? reply.redirect(page, 302) : answer()
      })
    },
  }
}

function rootDocument(endpoints: readonly Endpoint[], services: Services) {
  const { chains, settings } = services
  const operator = operatorOf(settings)
  const offered = endpoints.filter(({ isOffered }) => isOffered?.(services) ?? true)
  const named = offered.flatMap(({ names, method, path }) => names.map((name) => [name, [method, path]]))
  return {
    software: 'Tidegate',
    version: packageVersion(),
    chainIds: [...chains.keys()],
    providerAddresses: Object.fromEntries([...chains].map(([chainId, { key }]) => [chainId, key.address])),
    contracts: Object.fromEntries([...chains].map(([chainId, chain]) => [chainId, contractsOf(chain)])),
    serviceEndpoints: Object.fromEntries(named) as Record<string, [string, string]>,
    ...(operator ? { operator } : {}),
    ...verifiedNames(settings),
  }
}

function signIn(request: FastifyRequest, settings: Settings) {
  const url = ownUrl(request, settings)
  const { REQUIRE_DOMAIN_SIGNATURES: required } = settings
  const { AUTH_TOKEN_MAX_LIFETIME: maxLifetime, DOWNLOAD_LINK_LIFETIME: linkLifetime } = settings
  return url === undefined ? {} : { signIn: { url, required, maxLifetime, linkLifetime } }
}

/** Returns the contracts that a client must know, under their names in address files. The factory names all others. */
function contractsOf({ deployment }: Chain) {
  const { factory, oceanToken, accessListFactory } = deployment
  return {
    ERC721Factory: factory,
    ...(oceanToken ? { Ocean: oceanToken } : {}),
    ...(accessListFactory ? { AccessListFactory: accessListFactory } : {}),
    tokens: tokensOf(deployment),
  }
}
