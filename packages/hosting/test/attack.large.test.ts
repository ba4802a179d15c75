import './attack.test.js'
