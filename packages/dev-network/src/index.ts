export { DEV_CHAIN_ID, devAccounts } from './anvil.js'
export { type LocalNetwork, startLocalNetwork } from './network.js'
