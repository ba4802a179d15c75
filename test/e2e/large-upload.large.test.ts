import './large-upload.test.js'
