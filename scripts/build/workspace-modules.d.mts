import type { Plugin } from 'esbuild'

export function workspaceModules(root: string): Plugin
export function directImports(root: string, text: string): string
