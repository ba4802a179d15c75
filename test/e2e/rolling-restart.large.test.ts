import './rolling-restart.test.js'
