import './state-backups.test.js'
