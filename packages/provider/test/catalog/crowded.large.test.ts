import './crowded.test.js'
