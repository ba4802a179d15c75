import './resilience.test.js'
