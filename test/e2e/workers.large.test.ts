import './workers.test.js'
