import './sqlite.test.js'
