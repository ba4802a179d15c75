import './torture.test.js'
