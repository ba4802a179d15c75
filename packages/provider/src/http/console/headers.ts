import type { ConsoleFacts } from '../../console/facts.js'

/**
 * Returns the headers of all console responses. The policy allows only files of the console, this service and the nodes
 * of the configuration: no inline code, no eval, no frame around the page.
 */
export function consoleHeaders({ provider, chains }: ConsoleFacts): Record<string, string> {
  const called = [provider, ...chains.map(({ rpcUrl }) => rpcUrl)].flatMap((url) => (url ? new URL(url).origin : []))
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    ["connect-src 'self'", ...new Set(called)].join(' '),
    "manifest-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ]
  return {
    'content-security-policy': policy.join('; '),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    // wallets may open windows
    'cross-origin-opener-policy': 'same-origin-allow-popups',
    'permissions-policy':
      'accelerometer=(), autoplay=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), midi=(), payment=(), serial=(), usb=()',
  }
}
