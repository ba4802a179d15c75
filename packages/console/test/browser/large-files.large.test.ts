import './large-files.test.js'
