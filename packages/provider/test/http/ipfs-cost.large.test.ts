import './ipfs-cost.test.js'
