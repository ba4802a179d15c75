import './file-backends.test.js'
