import './streaming.test.js'
