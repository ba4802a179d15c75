export { type App, createApp } from './app.js'
export { isConsoleBuilt } from './console/files.js'
export { listenProblem } from './process/listening.js'
