/** A public network, for pages. */
export interface KnownNetwork {
  name: string
  /** Symbol of the native coin, which has 18 decimals. */
  symbol: string
  explorer: string
}

const known = (name: string, symbol: string, explorer: string): KnownNetwork => ({ name, symbol, explorer })

/** Public networks with Ocean contracts, by chain id. Other networks have the name of their deployment. */
export const KNOWN_NETWORKS: ReadonlyMap<number, KnownNetwork> = new Map([
  [1, known('Ethereum', 'ETH', 'https://etherscan.io')],
  [10, known('OP Mainnet', 'ETH', 'https://optimistic.etherscan.io')],
  [56, known('BNB Smart Chain', 'BNB', 'https://bscscan.com')],
  [137, known('Polygon', 'POL', 'https://polygonscan.com')],
  [246, known('Energy Web Chain', 'EWT', 'https://explorer.energyweb.org')],
  [1285, known('Moonriver', 'MOVR', 'https://moonriver.moonscan.io')],
  [8453, known('Base', 'ETH', 'https://basescan.org')],
  [23294, known('Oasis Sapphire', 'ROSE', 'https://explorer.oasis.io/mainnet/sapphire')],
  [23295, known('Oasis Sapphire Testnet', 'TEST', 'https://explorer.oasis.io/testnet/sapphire')],
  [11155111, known('Sepolia', 'ETH', 'https://sepolia.etherscan.io')],
  [11155420, known('OP Sepolia', 'ETH', 'https://optimism-sepolia.blockscout.com')],
])
