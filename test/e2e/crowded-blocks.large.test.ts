import './crowded-blocks.test.js'
