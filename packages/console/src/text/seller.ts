/** Who sells an asset. */
export const seller = {
  title: 'Seller',
  verified: 'Verified',
  verifiedBy: (operator: string | undefined) => `Name verified by ${operator ?? 'the operator of this provider'}.`,
  unverified: 'Not verified',
  unknown: 'Not verified: nobody but the account itself vouches for its names.',
  imitates: (name: string) => `Not verified: this is not from the verified publisher ${name}.`,
  describedBy: (account: string) => `described by ${account}`,
  failed: 'The assets of this account cannot be shown',
  nothing: 'This account sells nothing here',
  nothingHint: 'It has published nothing, or nothing that is for sale now.',
} as const
