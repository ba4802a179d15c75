export { loadSettings } from './config/load.js'
