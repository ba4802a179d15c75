import './given-back.test.js'
