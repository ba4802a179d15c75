/** The section of CHANGELOG.md for one version. */
export interface Section {
  /** The version, or `Unreleased`. */
  name: string
  /** The day of the release, as YYYY-MM-DD. */
  date?: string | undefined
  text: string
}

/** The sections of a changelog in the format of keepachangelog.com, in order. */
export function sectionsOf(changelog: string): Section[] {
  return changelog
    .split(/^## /m)
    .slice(1)
    .map((part) => {
      const [heading = '', ...lines] = part.split('\n')
      const [, name = heading, date] = /^\[?([^\]\s]+)\]?(?: - (.*))?$/.exec(heading.trim()) ?? []
      return { name, date, text: lines.join('\n').trim() }
    })
}

/** Whether a section contains changes that need action. */
export function isBreaking({ text }: Section): boolean {
  return /^### Breaking/m.test(text)
}

/** Returns the reasons against a release of a version with this changelog. */
export function faultsOfChangelog(changelog: string, version: string): string[] {
  const sections = sectionsOf(changelog)
  const [unreleased, latest] = sections
  const faults: string[] = []
  if (unreleased?.name !== 'Unreleased') faults.push('CHANGELOG.md does not begin with a section [Unreleased].')
  else if (unreleased.text) faults.push(`CHANGELOG.md has entries under [Unreleased]: move them to [${version}].`)
  const section = sections.find(({ name }) => name === version)
  if (!section) return [...faults, `CHANGELOG.md has no section [${version}].`]
  if (section !== latest) faults.push(`[${version}] is not the first section after [Unreleased] in CHANGELOG.md.`)
  if (!isDay(section.date)) faults.push(`[${version}] has no date in CHANGELOG.md: write ## [${version}] - YYYY-MM-DD.`)
  if (!/^- /m.test(section.text)) faults.push(`[${version}] says nothing in CHANGELOG.md.`)
  return faults
}

function isDay(text = ''): boolean {
  const time = new Date(`${text}T00:00:00Z`)
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(time.getTime()) && time.toISOString().startsWith(text)
}
