import './state-commands.test.js'
