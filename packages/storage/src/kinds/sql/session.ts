import type { Socket } from 'node:net'
import pg from 'pg'
import { POSTGRES_PORT } from '../../constants.js'
import type { StorageConnection } from '../../egress/connection.js'
import type { PostgresAddress } from './address.js'
import { type RowLimits, Rows, type Statement } from './rows.js'
import { PostgresWire } from './wire.js'

/** The SSLRequest message: length and code. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f])
const YES = 'S'.charCodeAt(0)

/** The driver without defaults from the environment. */
class Driver extends pg.Client {
  constructor(
    wire: PostgresWire,
    private readonly startup: Record<'user' | 'database', string>,
    password: string,
    private readonly timeout: number,
  ) {
    super({
      ...startup,
      // a function, since the driver replaces an empty string by PGPASSWORD or the password file
      password: () => password,
      // already connected, and with TLS if required
      stream: () => wire,
      host: 'localhost',
      port: POSTGRES_PORT,
      ssl: false,
      binary: false,
      client_encoding: 'UTF8',
      sslnegotiation: 'postgres',
    } as pg.ClientConfig)
  }

  /** Returns all start-up parameters. Overridden, since the driver adds PGOPTIONS and others. */
  getStartupConf(): Record<string, string> {
    return {
      ...this.startup,
      application_name: 'tidegate',
      client_encoding: 'UTF8',
      statement_timeout: String(this.timeout),
      // suppresses notices, which count against STORAGE_LIMITS.sql.overhead
      options: '-c default_transaction_read_only=on -c client_min_messages=error',
    }
  }
}

/**
 * Connects, logs in and starts a query. Returns its rows; the connection ends with them. The response time-out covers connecting and
 * logging in. The first row has `limits.timeout` plus some slack, so that the server's own time-out fires first.
 * @throws StorageError
 */
export async function query(
  { url, user, password, database, tls }: PostgresAddress,
  statement: Statement,
  limits: RowLimits,
  connection: StorageConnection,
): Promise<Rows> {
  const { responseTimeout, connectTimeout } = connection.timeouts
  try {
    const socket = await connection.connect()
    connection.deadline(responseTimeout)
    const stream = tls ? await secured(socket, url.hostname, connection) : socket
    const wire = new PostgresWire(stream, connection, limits.maxRow)
    const driver = new Driver(wire, { user, database }, password, limits.timeout)
    driver.on('error', () => undefined)
    await driver.connect()
    // the statement cannot make an explicitly read-only transaction writable
    await driver.query('BEGIN READ ONLY')
    connection.deadline(limits.timeout + connectTimeout)
    const rows = driver.query(new Rows(statement, limits, wire, connection))
    await rows.started(limits.peek)
    return rows
  } catch {
    connection.end()
    throw connection.failure()
  }
}

/** Upgrades to TLS. Throws if the server does not support it: there is no fallback. */
async function secured(socket: Socket, hostname: string, connection: StorageConnection): Promise<Socket> {
  socket.write(SSL_REQUEST)
  const reply = (await connection.waitFor(socket, 'data')) as Buffer
  // an attacker could inject further plaintext
  if (reply.length !== 1 || reply[0] !== YES) throw connection.failure()
  const secure = connection.secure(socket, hostname)
  await connection.waitFor(secure, 'secureConnect')
  return secure
}
