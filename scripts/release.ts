// Builds a release of the service and its client library: `npm run release [-- --out DIR] [-- --publish VERSION]`.
// Publishes both only with their version; otherwise lists all obstacles. See docs/releasing.md.
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Archive, makeArchives } from './release/archive.js'
import { faultsOfChangelog, isBreaking, sectionsOf } from './release/changelog.js'
import { publishedIntegrity } from './release/published.js'
import { type Commit, headOf, highestTag, isTagged, run } from './release/repository.js'
import { channelOf, faultsOfBump, parseVersion } from './release/versions.js'

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/[/\\]$/, '')

/** Returns the reasons against a release of this commit, except those in the package. */
function faultsOfCommit(commit: Commit, version: string): string[] {
  const show = (file: string) => run(root, 'git', ['show', `${commit.hash}:${file}`])
  const changelog = show('CHANGELOG.md')
  const section = sectionsOf(changelog).find(({ name }) => name === version)
  const faults = faultsOfChangelog(changelog, version)
  const lock = JSON.parse(show('package-lock.json'))
  const locks = [lock.version, lock.packages[''].version, lock.packages['packages/client'].version]
  const other = locks.find((locked) => locked !== version)
  if (other) faults.push(`package-lock.json says ${other}, package.json ${version}.`)
  if (!commit.isClean) faults.push('The working folder has uncommitted changes.')
  if (isTagged(root, version)) faults.push(`The tag v${version} exists already: it is released.`)
  else if (commit.released)
    faults.push(...faultsOfBump(commit.released, version, section !== undefined && isBreaking(section)))
  else if (!parseVersion(version)) faults.push(`${version} is not a semantic version.`)
  return faults
}

function describe({ path, sha256, size, files }: Archive): string {
  const folders = ['dist', 'docs'].flatMap((name) => {
    const count = files.filter((file) => file.startsWith(`${name}/`)).length
    return count > 0 ? [`${name}/ (${count} files)`] : []
  })
  const others = files.filter((file) => !file.includes('/'))
  return [
    `package  ${basename(path)}, ${size} bytes`,
    `holds    ${[...folders, ...others].join(', ')}`,
    `sha256   ${sha256}`,
  ].join('\n')
}

/** Returns the exit code: 1 if there is a reason against the release. */
function release(publish: string | undefined, out: string | undefined): number {
  // packages contain file modes
  process.umask(0o022)
  const commit = headOf(root)
  const { name, version } = JSON.parse(run(root, 'git', ['show', `${commit.hash}:package.json`]))
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-release-'))
  try {
    const faults = faultsOfCommit(commit, version)
    if (publish !== undefined && publish !== version)
      faults.push(`--publish ${publish} is not the version in package.json, ${version}.`)
    console.log(`${name} ${version}`)
    const archives = makeArchives(root, commit, version, folder)
    faults.push(...archives.flatMap((archive) => archive.faults))
    const builder = `Node ${process.versions.node}, npm ${run(root, 'npm', ['--version'])}`
    console.log(
      `commit   ${commit.hash}\nafter    ${commit.released ? `v${commit.released}` : 'no release'}\nbuilder  ${builder}`,
    )
    for (const archive of archives) console.log(describe(archive))
    if (faults.length > 0) {
      console.error(`\nNothing was published, because of:\n${faults.map((fault) => `- ${fault}`).join('\n')}`)
      return 1
    }
    if (out) {
      mkdirSync(out, { recursive: true })
      for (const { path } of archives) copyFileSync(path, join(out, basename(path)))
    }
    if (publish === undefined) {
      console.log(`\nDry run: nothing was published. To publish: npm run release -- --publish ${version}`)
      return 0
    }
    const channel = channelOf(version, highestTag(root))
    const there = archives.map(({ name }) => publishedIntegrity(folder, name, version))
    const other = archives.filter(({ integrity }, at) => there[at] !== undefined && there[at] !== integrity)
    if (other.length > 0) {
      const names = other.map((archive) => `${archive.name}@${version}`).join(' and ')
      console.error(`\nNothing was published: the registry has ${names} with other contents.`)
      return 1
    }
    // an earlier run may have stopped after this package
    for (const [at, { name, path }] of archives.entries())
      if (there[at] !== undefined)
        console.log(`\n${name}@${version} is already published with the same contents: skipped.`)
      else run(folder, 'npm', ['publish', path, '--ignore-scripts', '--tag', channel])
    console.log(
      `\nPublished as ${channel}. Now: git tag -a v${version} -m 'v${version}, archived by ${builder}' ${commit.hash} && git push origin v${version}`,
    )
    return 0
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

try {
  const { values } = parseArgs({ options: { publish: { type: 'string' }, out: { type: 'string' } } })
  process.exitCode = release(values.publish, values.out)
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
