/** A version by semver.org: three numbers, and the parts of a pre-release. */
export interface Version {
  numbers: [major: number, minor: number, patch: number]
  preRelease: string[]
}

const FORM = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?$/

/** Parses a version; undefined if it is invalid. Releases have no build metadata after `+`. */
export function parseVersion(text: string): Version | undefined {
  const [, major, minor, patch, preRelease] = FORM.exec(text) ?? []
  if (major === undefined) return undefined
  return { numbers: [Number(major), Number(minor), Number(patch)], preRelease: preRelease?.split('.') ?? [] }
}

/** Compares two versions. Negative: `a` precedes `b`; positive: it follows; 0: they are equal. */
export function compareVersions(a: Version, b: Version): number {
  for (const [i, number] of a.numbers.entries()) if (number !== b.numbers[i]) return number - (b.numbers[i] ?? 0)
  // a pre-release precedes its release
  if (a.preRelease.length === 0 || b.preRelease.length === 0) return b.preRelease.length - a.preRelease.length
  for (const [i, part] of a.preRelease.entries()) {
    const other = b.preRelease[i]
    if (other === undefined) return 1
    if (part !== other) return compareParts(part, other)
  }
  return a.preRelease.length - b.preRelease.length
}

/** Compares parts of a pre-release: numbers by value and first, others as text. */
function compareParts(a: string, b: string): number {
  const [first, second] = [a, b].map((part) => (/^\d+$/.test(part) ? Number(part) : undefined))
  if (first !== undefined && second !== undefined) return first - second
  if (first !== undefined || second !== undefined) return first !== undefined ? -1 : 1
  return a < b ? -1 : 1
}

/**
 * Returns the faults of releasing `next` after `previous`. It must be the next patch, minor or major version, or a
 * pre-release of one. A breaking change needs the next major version; before 1.0.0, the next minor one.
 */
export function faultsOfBump(previous: string, next: string, isBreaking: boolean): string[] {
  const [from, to] = [parseVersion(previous), parseVersion(next)]
  if (!to) return [`${next} is not a semantic version.`]
  if (!from) return [`The last tag, v${previous}, is not a semantic version.`]
  if (compareVersions(to, from) <= 0) return [`${next} does not come after ${previous}, which is released.`]
  const [major, minor, patch] = from.numbers
  const breaking = major === 0 ? `0.${minor + 1}.0` : `${major + 1}.0.0`
  const steps = [`${major}.${minor}.${patch + 1}`, `${major}.${minor + 1}.0`, `${major + 1}.0.0`]
  const core = to.numbers.join('.')
  // a release may follow its pre-release
  const isFinished = from.preRelease.length > 0 && core === from.numbers.join('.')
  if (!isFinished && !steps.includes(core))
    return [`${next} leaves out versions after ${previous}: ${steps.join(', ')}.`]
  const isEnough = isFinished || core === breaking || core === steps[2]
  return isBreaking && !isEnough ? [`The changelog has breaking changes: ${next} must be ${breaking}.`] : []
}

/**
 * Returns the dist-tag of a version. `latest` is installed by default, so neither a pre-release nor a fix of an older
 * line gets it. `highest`: highest released version.
 */
export function channelOf(version: string, highest: string | undefined): string {
  const [own, other] = [parseVersion(version), parseVersion(highest ?? '')]
  if (own && own.preRelease.length > 0) return 'next'
  return own && other && compareVersions(own, other) < 0 ? `release-${own.numbers[0]}.${own.numbers[1]}` : 'latest'
}
