import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'
import protocol from '../protocol/package.json' with { type: 'json' }

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url))

export default defineConfig({
  root: path('.'),
  base: '/console/',
  // the sources of the workspace, so that the page contains only the calls that it uses
  resolve: {
    alias: [
      { find: '@tidegate/client', replacement: path('../client/src/index.ts') },
      ...Object.entries(protocol.exports).map(([entry, file]) => ({
        find: new RegExp(`^@tidegate/protocol${entry.slice(1)}$`),
        replacement: path(`../protocol/${file}`),
      })),
    ],
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: path('../../dist/console'),
    emptyOutDir: true,
    target: 'es2022',
    // the page's policy forbids data: scripts and styles, and inlined files are never cached
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // one chunk of all that every page needs compresses better than dozens of shared parts
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'first', tags: ['$initial'] }] } } },
  },
})
