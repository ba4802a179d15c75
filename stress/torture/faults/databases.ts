import { execFileSync } from 'node:child_process'
import { renameSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'libsql'
import { signalled } from '../../../test/helpers/postgres-server.js'
import type { Deployment } from '../deployment.js'
import type { Fault, Place } from './fault.js'

type Work = (deployment: Deployment) => Promise<() => unknown>

/** Defines a fault of one kind of database. Does nothing in a world without it. */
function on(kind: Deployment['kind'], name: string, about: string, work: Work): Fault<Place> {
  return {
    name,
    about,
    kind: 'database',
    database: kind,
    async inject({ world }) {
      const deployment = world.deployments.find((deployment) => deployment.kind === kind)
      return deployment ? work(deployment) : () => undefined
    },
  }
}

const postgresOf = ({ postgres }: Deployment) => postgres as NonNullable<Deployment['postgres']>

/** Limits the size of files that the instances may write, in bytes. */
function limitFiles({ seats }: Deployment, bytes: number | 'unlimited'): void {
  for (const { up, instance } of seats)
    if (up) execFileSync('prlimit', ['--pid', String(instance.process.pid), `--fsize=${bytes}:`])
}

/** Faults of the databases. */
export const DATABASE_FAULTS: Fault<Place>[] = [
  on('postgres', 'postgres killed', 'All processes of PostgreSQL are killed with -9.', async (deployment) => {
    await postgresOf(deployment).crash()
    return () => postgresOf(deployment).recover()
  }),
  on(
    'postgres',
    'postgres restarted',
    'PostgreSQL is restarted in order, which ends every session.',
    async (deployment) => {
      await postgresOf(deployment).restart()
      return () => undefined
    },
  ),
  on(
    'postgres',
    'postgres frozen',
    'All processes of PostgreSQL are suspended, and resumed later.',
    async (deployment) => {
      const pids = postgresOf(deployment).pids()
      for (const pid of pids) signalled(pid, 'SIGSTOP')
      return () => {
        for (const pid of pids) signalled(pid, 'SIGCONT')
      }
    },
  ),
  on('postgres', 'postgres cuts', 'Every connection to PostgreSQL is terminated repeatedly.', async (deployment) => {
    let lifted = false
    const terminating = (async () => {
      while (!lifted) {
        await deployment
          .statement('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()')
          .catch(() => undefined)
        await sleep(100)
      }
    })()
    return () => {
      lifted = true
      return terminating
    }
  }),
  on('embedded', 'disk full', 'The instances can no longer write to any file.', async (deployment) => {
    limitFiles(deployment, 4096)
    return () => limitFiles(deployment, 'unlimited')
  }),
  on('embedded', 'database locked', 'Another program holds the lock of the database.', async (deployment) => {
    const db = new Database(deployment.databaseFile, { timeout: 5000 })
    db.exec('BEGIN IMMEDIATE')
    return () => {
      db.exec('ROLLBACK')
      db.close()
    }
  }),
  on(
    'embedded',
    'database moved away',
    'The database file is moved away, and moved back later.',
    async (deployment) => {
      const { databaseFile: file } = deployment
      renameSync(file, `${file}.away`)
      return () => renameSync(`${file}.away`, file)
    },
  ),
]
