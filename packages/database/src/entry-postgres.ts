export { openPostgres, type PostgresOptions, TYPES } from './postgres.js'
