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

/** Describes why a server cannot listen. Begins with the name of the wrong setting. */
export function listenProblem(
  [hostSetting, portSetting]: [host: string, port: string],
  { host, port }: { host: string; port: number },
  { code = 'unknown' }: NodeJS.ErrnoException,
): string {
  const address = ADDRESS_PROBLEMS[code]
  return `${address ? hostSetting : portSetting}: cannot listen at ${host}:${port}: ${address ?? PORT_PROBLEMS[code] ?? code}.`
}
