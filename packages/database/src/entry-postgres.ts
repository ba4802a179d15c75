export { openPostgres, type PostgresOptions } from './postgres/postgres.js'
export { publicError } from './postgres/public-error.js'
export { Servers } from './postgres/servers.js'
