export { openPostgres, type PostgresOptions, TYPES } from './postgres/postgres.js'
