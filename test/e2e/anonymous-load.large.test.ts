import './anonymous-load.test.js'
