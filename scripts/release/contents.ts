import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'

/** The allowed and required files of a package. */
interface Rules {
  allowed: RegExp[]
  needed: string[]
}

const SERVICE: Rules = {
  allowed: [
    /^(package\.json|README\.md|CHANGELOG\.md|LICENSE|SECURITY\.md)$/,
    /^docs\/((clients|decisions)\/)?[\w-]+\.(md|json|webp)$/,
    /^bin\/tidegate\.js$/,
    /^dist\/([\w-]+\/)*[\w.-]+\.js(\.map)?$/,
    /^dist\/console\/(assets\/)?[\w-]+(\.worker)?(\.min-[\w-]+)?\.(html|m?js|css|svg|png)(\.(br|gz))?$/,
    /^dist\/(THIRD-PARTY-LICENSES\.txt|sbom\.cdx\.json)$/,
  ],
  needed: [
    ...['package.json', 'README.md', 'CHANGELOG.md', 'LICENSE', 'SECURITY.md', 'docs/operations.md'],
    ...[
      'bin/tidegate.js',
      'dist/cli.js',
      'dist/tasks/worker.js',
      'dist/auth/recovery-worker.js',
      'dist/catalog/batch-worker.js',
      'dist/console/index.html',
      'dist/THIRD-PARTY-LICENSES.txt',
      'dist/sbom.cdx.json',
    ],
  ],
}
const CLIENT: Rules = {
  allowed: [
    /^(package\.json|README\.md|LICENSE)$/,
    /^dist\/(index|node|addresses|chunk|networks)\.js$/,
    /^dist\/types\/([\w-]+\/)*[\w-]+\.d\.ts$/,
    /^dist\/(THIRD-PARTY-LICENSES\.txt|sbom\.cdx\.json)$/,
  ],
  needed: [
    ...['package.json', 'README.md', 'LICENSE', 'dist/index.js', 'dist/node.js', 'dist/addresses.js'],
    ...['dist/types/index.d.ts', 'dist/types/node/index.d.ts', 'dist/THIRD-PARTY-LICENSES.txt', 'dist/sbom.cdx.json'],
  ],
}
/** Rules of each published package, by its folder. */
const RULES = { '': SERVICE, 'packages/client': CLIENT } as const

/** Folder of a published package. The service is in the root. */
export type Workspace = keyof typeof RULES

/** Maximum sizes in bytes. A larger package contains a mistake. */
export const MAX_PACKED = 6 * 1024 * 1024
export const MAX_UNPACKED = 24 * 1024 * 1024

/** Patterns of secrets: private keys with content, and tokens of registries, code hosts and clouds. */
const SECRETS = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----\s+[A-Za-z0-9+/=]{40}/,
  /\b(npm_[A-Za-z0-9]{36}|gh[pousr]_[A-Za-z0-9]{36}|github_pat_\w{60}|AKIA[0-9A-Z]{16})\b/,
  /_authToken\s*=\s*[^\s$]/,
]

/**
 * Returns the faults of an unpacked package: forbidden or missing files, secrets, or the path of a build folder. Secrets
 * are not quoted.
 */
export function faultsOfContents(folder: string, buildFolders: string[], workspace: Workspace = ''): string[] {
  const { allowed, needed } = RULES[workspace]
  const files = filesOf(folder)
  const faults = [
    ...files
      .filter((file) => !allowed.some((form) => form.test(file)))
      .map((file) => `${file} may not be in the package.`),
    ...needed.filter((file) => !files.includes(file)).map((file) => `${file} is missing in the package.`),
  ]
  let size = 0
  for (const file of files) {
    const content = readFileSync(join(folder, file))
    const text = content.toString('latin1')
    size += content.length
    if (SECRETS.some((form) => form.test(text))) faults.push(`${file} holds what looks like a secret.`)
    if (buildFolders.some((one) => text.includes(one))) faults.push(`${file} names the folder that it was built in.`)
  }
  if (size > MAX_UNPACKED) faults.push(`The package takes ${size} bytes, more than ${MAX_UNPACKED}.`)
  return faults
}

/** The files under a folder, as sorted paths with `/`. */
export function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll(sep, '/'))
    .sort()
}

/** The differences between two folders: files that only one contains, or whose bytes differ. */
export function differences(first: string, second: string): string[] {
  const [a, b] = [filesOf(first), filesOf(second)]
  const isSame = (file: string) => readFileSync(join(first, file)).equals(readFileSync(join(second, file)))
  return [...new Set([...a, ...b])].filter((file) => !a.includes(file) || !b.includes(file) || !isSame(file))
}
