// Lets a thread of the source tree import TypeScript: the loader registers itself in the first thread of a process alone.
import { register } from 'tsx/esm/api'

register()
