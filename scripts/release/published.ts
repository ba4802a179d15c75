import { run } from './repository.js'

/**
 * Returns the integrity (`sha512-…`) of a published version; undefined if it is not published. Throws if the registry
 * does not answer. `folder`: working folder of npm.
 */
export function publishedIntegrity(folder: string, name: string, version: string): string | undefined {
  // the code of an error is in the log, which `npm run --silent` turns off for all that it starts
  const options = ['--json', '--prefer-online', '--loglevel=error']
  try {
    return JSON.parse(run(folder, 'npm', ['view', `${name}@${version}`, 'dist.integrity', ...options]))
  } catch (error) {
    if (/^npm error code E404$/m.test((error as Error).message)) return undefined
    throw error
  }
}
