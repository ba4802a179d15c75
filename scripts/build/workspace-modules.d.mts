import type { Plugin } from 'esbuild'

export function workspaceModules(root: string): Plugin
