/** Texts for a browser without a wallet. */
export const missing = {
  none: 'No wallet was found in this browser.',
  open: (name: string) => `Open in ${name}`,
  openHint: 'Open this page in a wallet on this phone. The wallet shows the page, and you can pay there.',
  scan: 'Use your phone: scan this code',
  code: 'QR code with the address of this page',
  noCode: 'There is no code for this address. Copy it, and open it on your phone.',
  scanHint:
    'Scan it with a wallet, or with the camera of your phone. This page opens on the phone, and you can pay there.',
  copy: 'Copy the address of this page',
  install: 'Install a wallet',
  installHint: 'A wallet can also be an extension of this browser. Install one, then reload this page.',
  installOnPhone: 'Have you no wallet yet? Install one from the app store of your phone, then come back to this page.',
  insecure:
    'Wallets on phones open a page only if its address begins with https. The address of this page does not: ask its operator.',
  without: 'You can look around without a wallet.',
} as const
