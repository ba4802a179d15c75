import './soak.test.js'
