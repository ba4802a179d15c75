import './torture-purchases.tools.test.js'
