import './long-documents.test.js'
