// Lets a thread of the source tree import TypeScript: the loader registers itself only in the main thread.
import { register } from 'tsx/esm/api'

register()
