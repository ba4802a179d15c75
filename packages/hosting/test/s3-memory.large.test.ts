import './s3-memory.test.js'
