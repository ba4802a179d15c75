import './soak.tools.test.js'
