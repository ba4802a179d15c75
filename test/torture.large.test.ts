import './torture.tools.test.js'
