import './instances.test.js'
