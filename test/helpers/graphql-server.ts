// npm installs this package below test/ alone, where tests of other folders do not find it
export { createSchema, createYoga } from 'graphql-yoga'
