import { plural } from '../format/plural.js'

export const transactions = {
  title: 'Transactions',
  none: 'Transactions that you send here are listed, even after a reload.',
  open: (count: number) => plural(count, { one: 'pending transaction', other: 'pending transactions' }),
  show: 'Show transactions',
  hash: 'Transaction hash',
  dismiss: 'Remove from the list',
  states: {
    asked: 'Waiting for your wallet',
    sent: 'Sent, waiting to be mined',
    mined: 'Mined',
    failed: 'Failed on the chain',
    replaced: 'Replaced in the wallet by another transaction',
    unsure: 'Unknown whether it was sent',
  },
  kinds: { buy: 'Buy', publish: 'Publish', update: 'Edit', state: 'Change state', list: 'Access list' },
  mined: (what: string) => `Mined: ${what}`,
  failed: (what: string) => `Failed on the chain: ${what}`,
  replaced: (what: string) => `Replaced in the wallet: ${what}`,
  unsureHint:
    'The page was closed, or the connection broke, before the wallet answered. Look at its activity: if it was sent, wait until it is mined; if not, remove this entry.',
  notSent: 'It was not sent',
} as const
