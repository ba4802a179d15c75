import { describeFault, faultOf } from '@tidegate/database'
import { InUseError } from '@tidegate/database/sqlite'

/** Explanations of errors of PostgreSQL and of connections, by SQLSTATE or system code. */
const CAUSES: Record<string, string> = {
  '08P01': 'it refuses the connection',
  '28P01': 'the password is wrong',
  '28000': 'the server does not let this user in from here, or not in this way (pg_hba.conf)',
  '3D000': 'there is no such database',
  '3F000': 'the search_path of the user names no schema that exists',
  '42501': 'the user lacks a permission: it must be able to create tables',
  '55000': 'the database takes no connections',
  '53300': 'the server has no connection left',
  '57P03': 'the server is starting or stopping',
  STANDBY: 'it is a standby, which accepts no writes',
  SHARED_SESSION:
    'it is a pooler in transaction mode, which lends a session to one client after the other. Use its session mode, or the address of the database itself',
  NOT_UTF8: 'its encoding is not UTF8, so that it cannot store all texts',
  ENOENT: 'a file or a socket that the URL names does not exist',
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the host cannot be resolved now',
  ETIMEDOUT: 'it does not answer',
  DEPTH_ZERO_SELF_SIGNED_CERT: "the server's certificate is not trusted: see sslmode and sslrootcert",
  SELF_SIGNED_CERT_IN_CHAIN: "the server's certificate is not trusted: see sslmode and sslrootcert",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "the server's certificate is not trusted: see sslmode and sslrootcert",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "the server's certificate is not trusted: see sslmode and sslrootcert",
  ERR_TLS_CERT_ALTNAME_INVALID: "the server's certificate is for another host",
}

/** Describes why a database cannot be opened, with the words of a PostgreSQL server. */
export function reasonOf(error: unknown): string {
  const { code = '', message, said } = error as NodeJS.ErrnoException & { said?: string }
  if (error instanceof InUseError || /version of Tidegate/.test(message)) return message.replace(/\.$/, '')
  if (/does not support SSL/.test(message)) return 'the server does not speak TLS: see sslmode'
  const cause = CAUSES[code]
  const reason = cause ? `${cause} (${code})` : describeFault(faultOf(error))
  return said ? `${reason}. The server says: ${said.replace(/\.$/, '')}` : reason
}
