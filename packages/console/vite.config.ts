import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url))

export default defineConfig({
  root: path('.'),
  base: '/console/',
  // the sources of the workspace, so that the page contains only the calls that it uses
  resolve: {
    alias: [
      { find: '@tidegate/client', replacement: path('../client/src/index.ts') },
      { find: /^@tidegate\/protocol\/(.+)$/, replacement: `${path('../protocol/src')}/$1.ts` },
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
  },
})
