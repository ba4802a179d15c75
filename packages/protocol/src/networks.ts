import type { Address } from './hex.js'

/** Contracts of a network. */
export interface Deployment {
  network: string
  chainId: number
  /** ERC721Factory. Only data NFTs and datatokens that it deployed are trusted. */
  factory: Address
  /** Block of the factory's first possible event. */
  startBlock: number
  /** Default token of the provider fee. */
  oceanToken?: Address
  /** Other tokens of the address list, by symbol. */
  tokens?: Readonly<Record<string, Address>>
  /** AccessListFactory, which deploys lists of buyers. */
  accessListFactory?: Address
}

/** Chain id of Ocean's usual local network, for existing test accounts and configurations. */
export const DEV_CHAIN_ID = 8996

/** Oasis Sapphire and its test network: what contracts store is encrypted, so that nobody reads it but by their functions. */
export const CONFIDENTIAL_CHAINS: ReadonlySet<number> = new Set([23294, 23295])

/** Public networks in the address.json of the npm package @oceanprotocol/contracts 2.6.0. A test compares them. */
export const KNOWN_DEPLOYMENTS: readonly Deployment[] = [
  {
    network: 'mainnet',
    chainId: 1,
    factory: '0x1706DF1f2d93558D1d77bEd49ccdB8B88fAfC306',
    startBlock: 14907021,
    oceanToken: '0x967da4048cD07aB37855c090aAF366e4ce1b9F48',
    accessListFactory: '0x7ed6ac4243472adA55408fEE45c5Dff379f7aBE0',
  },
  {
    network: 'goerli',
    chainId: 5,
    factory: '0xe8c6Dc39602031A152440311e364818ba25C2Bc1',
    startBlock: 7425573,
    oceanToken: '0xCfDdA22C9837aE76E0faA845354f33C62E03653a',
  },
  {
    network: 'optimism',
    chainId: 10,
    factory: '0x80E63f73cAc60c1662f27D2DFd2EA834acddBaa8',
    startBlock: 112181681,
    oceanToken: '0x2561aa2bB1d2Eb6629EDd7b0938d7679B8b49f9E',
    accessListFactory: '0x4E6058dC00e90C0DCA47A5d0D3346F409939A5ab',
  },
  {
    network: 'bsc',
    chainId: 56,
    factory: '0xbFBc7A21133B4e0e54a182BE8d4337A5e036A615',
    startBlock: 18407552,
    oceanToken: '0xDCe07662CA8EbC241316a15B611c89711414Dd1a',
  },
  {
    network: 'gen-x-testnet',
    chainId: 100,
    factory: '0x6cb85858183B82154921f68b434299EC4281da53',
    startBlock: 3665369,
    oceanToken: '0x0995527d3473b3a98c471f1ed8787acd77fbf009',
  },
  {
    network: 'polygon',
    chainId: 137,
    factory: '0x6fd867E5AEE6D62a24f97939db90C4e67A73A651',
    startBlock: 28443969,
    oceanToken: '0x282d8efCe846A88B159800bd4130ad77443Fa1A1',
  },
  {
    network: 'energyweb',
    chainId: 246,
    factory: '0x4dD281EB67DED07E76E413Df16176D66ae69e240',
    startBlock: 18264850,
    oceanToken: '0x593122AAE80A6Fc3183b2AC0c4ab3336dEbeE528',
  },
  {
    network: 'moonriver',
    chainId: 1285,
    factory: '0x86F2BB9F8f18B5a836b342199a3eC89F282E4018',
    startBlock: 1960563,
    oceanToken: '0x99C409E5f62E4bd2AC142f17caFb6810B8F0BAAE',
  },
  {
    network: 'filecointestnet',
    chainId: 3141,
    factory: '0x9C9eE07b8Ce907D2f9244F8317C1Ed29A3193bAe',
    startBlock: 145290,
    oceanToken: '0xf26c6C93f9f1d725e149d95f8E7B2334a406aD10',
  },
  {
    network: 'base',
    chainId: 8453,
    factory: '0x159924ca0F47D6F704B97E29099b89e518A17B5E',
    startBlock: 30562198,
    tokens: { COMPY: '0x298f163244e0c8cc9316D6E97162e5792ac5d410' },
    accessListFactory: '0xE5aa2C9B551aFcA4C0A98BB3B37D7A43084d0a66',
  },
  {
    network: 'oasis_sapphire',
    chainId: 23294,
    factory: '0x80E63f73cAc60c1662f27D2DFd2EA834acddBaa8',
    startBlock: 905232,
    oceanToken: '0x39d22B78A7651A76Ffbde2aaAB5FD92666Aca520',
    accessListFactory: '0x12bB8D85a091A69A07E22E52d4567dBB91568f52',
  },
  {
    network: 'oasis_sapphire_testnet',
    chainId: 23295,
    factory: '0x315ef329D214cde5cE7C206104aC35B1fe66bb8c',
    startBlock: 2565487,
    oceanToken: '0x973e69303259B0c2543a38665122b773D28405fB',
    accessListFactory: '0xdA412123a3Cc0D921bcf7246f8742e3b7c3E7b94',
  },
  {
    network: 'pontus-x-devnet',
    chainId: 32456,
    factory: '0xFdC4a5DEaCDfc6D82F66e894539461a269900E13',
    startBlock: 57428,
    oceanToken: '0xdF171F74a8d3f4e2A789A566Dce9Fa4945196112',
  },
  {
    network: 'alfajores',
    chainId: 44787,
    factory: '0x98679D582AB3398C03D3308dEB9c7AeC50B52ded',
    startBlock: 16422659,
    oceanToken: '0xd8992Ed72C445c35Cb4A2be468568Ed1079357c8',
  },
  {
    network: 'mumbai',
    chainId: 80001,
    factory: '0x7d46d74023507D30ccc2d3868129fbE4e400e40B',
    startBlock: 26354458,
    oceanToken: '0xd8992Ed72C445c35Cb4A2be468568Ed1079357c8',
  },
  {
    network: 'polygonedge',
    chainId: 81001,
    factory: '0x1706DF1f2d93558D1d77bEd49ccdB8B88fAfC306',
    startBlock: 3256707,
    oceanToken: '0x8c98ea273bA22327F896Aa1a1a46E1BFf56e9b1D',
  },
  {
    network: 'gaiaxtestnet',
    chainId: 2021000,
    factory: '0x49E35cd2bAE043Abd9074B6e5a649a5AdEB05C33',
    startBlock: 7711332,
    oceanToken: '0x80E63f73cAc60c1662f27D2DFd2EA834acddBaa8',
  },
  {
    network: 'sepolia',
    chainId: 11155111,
    factory: '0xEF62FB495266C72a5212A11Dce8baa79Ec0ABeB1',
    startBlock: 3722802,
    oceanToken: '0x1B083D8584dd3e6Ff37d04a6e7e82b5F622f3985',
    tokens: { COMPY: '0x973e69303259B0c2543a38665122b773D28405fB' },
    accessListFactory: '0x43eC0a34E1b70C7f8E579ab866F37642777727E7',
  },
  {
    network: 'optimism_sepolia',
    chainId: 11155420,
    factory: '0xDEfD0018969cd2d4E648209F876ADe184815f038',
    startBlock: 3867703,
    oceanToken: '0xf26c6C93f9f1d725e149d95f8E7B2334a406aD10',
    accessListFactory: '0xEcD0C3519a081e3924D6F3197f86980eA7dfCf71',
  },
]

/** Returns the tokens of a network by symbol, of its address list alone: a contract may claim any symbol. */
export const tokensOf = ({
  oceanToken,
  tokens,
}: Pick<Deployment, 'oceanToken' | 'tokens'>): Record<string, Address> => ({
  ...(oceanToken ? { OCEAN: oceanToken } : {}),
  ...tokens,
})
