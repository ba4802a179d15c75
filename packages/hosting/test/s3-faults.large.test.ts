import './s3-faults.test.js'
