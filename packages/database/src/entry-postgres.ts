export { openPostgres, type PostgresOptions, TYPES } from './postgres/postgres.js'
export { Servers } from './postgres/servers.js'
