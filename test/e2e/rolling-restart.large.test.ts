import './rolling-restart.tools.test.js'
