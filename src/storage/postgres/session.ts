import type { Socket } from 'node:net'
import pg from 'pg'
import type { StorageConnection } from '../connection.js'
import type { PostgresAddress } from './address.js'
import { type RowLimits, Rows, type Statement } from './rows.js'
import { PostgresWire } from './wire.js'

/** Length and code of the message that asks for TLS. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f])
const YES = 'S'.charCodeAt(0)

/** The driver, but for what it would take from the environment. */
class Driver extends pg.Client {
  constructor(
    wire: PostgresWire,
    private readonly startup: Record<'user' | 'database', string>,
    password: string,
    private readonly timeout: number,
  ) {
    super({
      ...startup,
      // a text that is empty would be replaced by PGPASSWORD or the password file
      password: () => password,
      // it stands already, with TLS where there is to be any
      stream: () => wire,
      host: 'localhost',
      port: 5432,
      ssl: false,
      binary: false,
      client_encoding: 'UTF8',
      sslnegotiation: 'postgres',
    } as pg.ClientConfig)
  }

  /** All that a session is begun with: the driver's own form of it adds what PGOPTIONS and others say. */
  getStartupConf(): Record<string, string> {
    return {
      ...this.startup,
      application_name: 'tidegate',
      client_encoding: 'UTF8',
      statement_timeout: String(this.timeout),
      // notices are not read, and count against what a server may say
      options: '-c default_transaction_read_only=on -c client_min_messages=error',
    }
  }
}

/**
 * Connects, logs in and begins a query; answers its rows, whose end is that of the connection. Login and what prepares
 * the query share the storage's response time-out. The query has the time of `limits` until its first row, and a little
 * more, since the server is told the same and should be the first to say so. Throws StorageError.
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
    const readable = tls ? await secured(socket, url.hostname, connection) : socket
    const wire = new PostgresWire(readable, connection, limits.maxRow)
    const driver = new Driver(wire, { user, database }, password, limits.timeout)
    driver.on('error', () => undefined)
    await driver.connect()
    // one that says so cannot be talked out of it by the statement
    await driver.query('BEGIN READ ONLY')
    connection.deadline(limits.timeout + connectTimeout)
    const rows = driver.query(new Rows(statement, limits, wire, connection))
    await rows.begun(limits.peek)
    return rows
  } catch {
    connection.end()
    throw connection.failure()
  }
}

/** TLS or nothing: a server that has none is not talked to. */
async function secured(socket: Socket, hostname: string, connection: StorageConnection): Promise<Socket> {
  socket.write(SSL_REQUEST)
  const answer = (await connection.happens(socket, 'data')) as Buffer
  // what follows in plain text could be anybody's
  if (answer.length !== 1 || answer[0] !== YES) throw connection.failure()
  const secure = connection.secure(socket, hostname)
  await connection.happens(secure, 'secureConnect')
  return secure
}
