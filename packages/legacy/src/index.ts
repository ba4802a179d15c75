export { command } from './import.js'
