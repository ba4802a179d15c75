import './fuzz.tools.test.js'
