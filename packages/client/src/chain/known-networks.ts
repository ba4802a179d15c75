import type { Address } from 'viem'

/** The factory of a public network, and its OCEAN token. */
export interface KnownNetwork {
  ERC721Factory: Address
  Ocean?: Address
}

/**
 * Public networks by chain id, for providers that do not tell their contracts, as listed in the address.json of the npm package
 * @oceanprotocol/contracts 2.6.0 (a test compares).
 */
export const KNOWN_NETWORKS: Readonly<Record<string, KnownNetwork>> = {
  // mainnet
  1: {
    ERC721Factory: '0x1706df1f2d93558d1d77bed49ccdb8b88fafc306',
    Ocean: '0x967da4048cd07ab37855c090aaf366e4ce1b9f48',
  },
  // goerli
  5: {
    ERC721Factory: '0xe8c6dc39602031a152440311e364818ba25c2bc1',
    Ocean: '0xcfdda22c9837ae76e0faa845354f33c62e03653a',
  },
  // optimism
  10: {
    ERC721Factory: '0x80e63f73cac60c1662f27d2dfd2ea834acddbaa8',
    Ocean: '0x2561aa2bb1d2eb6629edd7b0938d7679b8b49f9e',
  },
  // bsc
  56: {
    ERC721Factory: '0xbfbc7a21133b4e0e54a182be8d4337a5e036a615',
    Ocean: '0xdce07662ca8ebc241316a15b611c89711414dd1a',
  },
  // gen-x-testnet
  100: {
    ERC721Factory: '0x6cb85858183b82154921f68b434299ec4281da53',
    Ocean: '0x0995527d3473b3a98c471f1ed8787acd77fbf009',
  },
  // polygon
  137: {
    ERC721Factory: '0x6fd867e5aee6d62a24f97939db90c4e67a73a651',
    Ocean: '0x282d8efce846a88b159800bd4130ad77443fa1a1',
  },
  // energyweb
  246: {
    ERC721Factory: '0x4dd281eb67ded07e76e413df16176d66ae69e240',
    Ocean: '0x593122aae80a6fc3183b2ac0c4ab3336debee528',
  },
  // moonriver
  1285: {
    ERC721Factory: '0x86f2bb9f8f18b5a836b342199a3ec89f282e4018',
    Ocean: '0x99c409e5f62e4bd2ac142f17cafb6810b8f0baae',
  },
  // filecointestnet
  3141: {
    ERC721Factory: '0x9c9ee07b8ce907d2f9244f8317c1ed29a3193bae',
    Ocean: '0xf26c6c93f9f1d725e149d95f8e7b2334a406ad10',
  },
  // base
  8453: { ERC721Factory: '0x159924ca0f47d6f704b97e29099b89e518a17b5e' },
  // oasis_sapphire
  23294: {
    ERC721Factory: '0x80e63f73cac60c1662f27d2dfd2ea834acddbaa8',
    Ocean: '0x39d22b78a7651a76ffbde2aaab5fd92666aca520',
  },
  // oasis_sapphire_testnet
  23295: {
    ERC721Factory: '0x315ef329d214cde5ce7c206104ac35b1fe66bb8c',
    Ocean: '0x973e69303259b0c2543a38665122b773d28405fb',
  },
  // pontus-x-devnet
  32456: {
    ERC721Factory: '0xfdc4a5deacdfc6d82f66e894539461a269900e13',
    Ocean: '0xdf171f74a8d3f4e2a789a566dce9fa4945196112',
  },
  // alfajores
  44787: {
    ERC721Factory: '0x98679d582ab3398c03d3308deb9c7aec50b52ded',
    Ocean: '0xd8992ed72c445c35cb4a2be468568ed1079357c8',
  },
  // mumbai
  80001: {
    ERC721Factory: '0x7d46d74023507d30ccc2d3868129fbe4e400e40b',
    Ocean: '0xd8992ed72c445c35cb4a2be468568ed1079357c8',
  },
  // polygonedge
  81001: {
    ERC721Factory: '0x1706df1f2d93558d1d77bed49ccdb8b88fafc306',
    Ocean: '0x8c98ea273ba22327f896aa1a1a46e1bff56e9b1d',
  },
  // gaiaxtestnet
  2021000: {
    ERC721Factory: '0x49e35cd2bae043abd9074b6e5a649a5adeb05c33',
    Ocean: '0x80e63f73cac60c1662f27d2dfd2ea834acddbaa8',
  },
  // sepolia
  11155111: {
    ERC721Factory: '0xef62fb495266c72a5212a11dce8baa79ec0abeb1',
    Ocean: '0x1b083d8584dd3e6ff37d04a6e7e82b5f622f3985',
  },
  // optimism_sepolia
  11155420: {
    ERC721Factory: '0xdefd0018969cd2d4e648209f876ade184815f038',
    Ocean: '0xf26c6c93f9f1d725e149d95f8e7b2334a406ad10',
  },
}
