import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { differences, faultsOfContents, filesOf, MAX_PACKED, type Workspace } from './contents.js'
import { type Commit, checkOut, run } from './repository.js'

/** A package as it would be published. */
export interface Archive {
  path: string
  sha256: string
  /** Hash of the registry for the same bytes: SHA-512 in Base64 (Subresource Integrity). */
  integrity: string
  /** Name of the package. */
  name: string
  /** In bytes. */
  size: number
  files: string[]
  /** Reasons against its publication. */
  faults: string[]
}

/**
 * Builds a commit in two new folders, packs library and service of the first build, and checks both packages: the builds
 * must be identical, the contents allowed, the program must start, and the library must load. Returns the archives in
 * the order of publication. Throws if a build fails.
 */
export function makeArchives(root: string, commit: Commit, version: string, folder: string): Archive[] {
  const [first, second] = [join(folder, 'first'), join(folder, 'elsewhere', 'second')] as const
  const packages = realpathSync(join(root, 'node_modules'))
  for (const checkout of [first, second]) {
    checkOut(root, commit, checkout)
    symlinkSync(packages, join(checkout, 'node_modules'), 'junction')
    for (const script of ['scripts/build.mjs', 'scripts/build-client.mjs'])
      run(checkout, process.execPath, [script], { SOURCE_DATE_EPOCH: commit.time })
    // npm would read all manifests there, although the package bundles none
    rmSync(join(checkout, 'node_modules'))
  }
  // both at once: npm starts more slowly than it packs
  const archives = JSON.parse(
    run(first, 'npm', ['pack', '.', './packages/client', '--json', '--ignore-scripts', '--pack-destination', folder]),
  ) as { name: string; filename: string }[]
  const packed = (workspace: Workspace) => {
    const { name } = JSON.parse(readFileSync(join(first, workspace, 'package.json'), 'utf8'))
    const { filename } = archives.find((one) => one.name === name) as { filename: string }
    return unpacked(workspace, filename, { first, second, packages, folder })
  }
  const service = packed('')
  const told = service.files.includes('dist/cli.js')
    ? run(service.content, process.execPath, ['dist/cli.js', '--version'])
    : ''
  if (told !== version)
    service.faults.push(`The packed program reports the version ${told || '(none)'} instead of ${version}.`)
  const client = packed('packages/client')
  client.faults.push(...faultsOfLibrary(client.content, version))
  return [client, service]
}

interface Folders {
  /** Checkout of the first build. */
  first: string
  second: string
  /** The installed packages. */
  packages: string
  /** Folder of the archives. */
  folder: string
}

/** Unpacks an archive beside the installed packages, and checks its contents. */
function unpacked(workspace: Workspace, filename: string, { first, second, packages, folder }: Folders) {
  const path = join(folder, filename)
  const bytes = readFileSync(path)
  const to = join(folder, 'unpacked', workspace || 'service')
  mkdirSync(to, { recursive: true })
  run(folder, 'tar', ['-xzf', filename, '-C', to])
  const content = join(to, 'package')
  const files = filesOf(content)
  const [one, other] = [first, second].map((checkout) => join(checkout, workspace, 'dist')) as [string, string]
  const faults = [
    ...differences(one, other).map((file) => `dist/${file} differs in a second build.`),
    // without the root, which also finds relative forms of the path
    ...faultsOfContents(content, [first, second, packages.replace(/^[^/\\]*[/\\]/, '')], workspace),
  ]
  if (bytes.length > MAX_PACKED) faults.push(`The package has ${bytes.length} bytes, more than ${MAX_PACKED}.`)
  symlinkSync(packages, join(content, 'node_modules'), 'junction')
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`
  const { name } = JSON.parse(readFileSync(join(content, 'package.json'), 'utf8'))
  return { path, sha256, integrity, name, size: bytes.length, files, faults, content }
}

/** Checks that the library has the service's version and that both entries load. */
function faultsOfLibrary(content: string, version: string): string[] {
  const faults: string[] = []
  const own = JSON.parse(readFileSync(join(content, 'package.json'), 'utf8')).version
  if (own !== version) faults.push(`packages/client/package.json says ${own}, package.json ${version}.`)
  const imports = "await import('./dist/index.js'); await import('./dist/node.js')"
  try {
    run(content, process.execPath, ['--input-type=module', '--eval', imports])
  } catch {
    faults.push('The packed library cannot be imported.')
  }
  return faults
}
