/** Texts about credentials that a publisher asks for. */
export const credentialsText = {
  asked: 'Its publisher asks for credentials',
  beforeBuying: 'Present them from your wallet of credentials. Then you can buy.',
  beforeDownload: 'Present them from your wallet of credentials. Then you can download what you have bought.',
  present: 'Present credentials',
  starting: 'Preparing the request…',
  scan: 'Scan this code with your wallet of credentials.',
  code: 'QR code with the request for your wallet of credentials',
  noCode: 'The request is too long for a QR code. Open its link.',
  open: 'Open on this device',
  copy: 'Copy the link',
  waiting: 'Waiting for your wallet…',
  accepted: 'The credentials are accepted.',
} as const
