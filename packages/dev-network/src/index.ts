export { DEV_CHAIN_ID, devAccounts } from './anvil.js'
export { type LocalNetwork, type LocalNetworkOptions, startLocalNetwork } from './network.js'
