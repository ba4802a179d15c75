import { StartError, UnavailableError } from '@tidegate/protocol'

/** Problems of an address, by error code. Other codes are problems of a port. */
const ADDRESS_PROBLEMS: Record<string, string> = {
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the host cannot be resolved now',
  EINVAL: 'this is not an address to listen on',
}
const PORT_PROBLEMS: Record<string, string> = {
  EADDRINUSE: 'the port is in use',
  EACCES: 'ports below 1024 need a privilege',
}

/** Problems that may pass: a former process ends, a name is found. */
const PASSING = new Set(['EADDRINUSE', 'EAI_AGAIN'])

/** Returns the error for a server of the settings that cannot listen. */
export function listenError(
  settings: [host: string, port: string],
  place: { host: string; port: number },
  error: NodeJS.ErrnoException,
): StartError {
  const problems = [listenProblem(settings, place, error)]
  return PASSING.has(String(error.code)) ? new UnavailableError(problems) : new StartError(problems)
}

/** Describes why a server cannot listen. Begins with the name of the wrong setting. */
export function listenProblem(
  [hostSetting, portSetting]: [host: string, port: string],
  { host, port }: { host: string; port: number },
  { code = 'unknown' }: NodeJS.ErrnoException,
): string {
  const address = ADDRESS_PROBLEMS[code]
  return `${address ? hostSetting : portSetting}: cannot listen at ${host}:${port}: ${address ?? PORT_PROBLEMS[code] ?? code}.`
}
