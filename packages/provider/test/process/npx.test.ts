import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { owned } from '../../../../test/helpers/children.js'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { program } from '../../../../test/helpers/command.js'

it('a service that npx started stops when npx is ended', async () => {
  const folder = newFolder()
  const commands = join(folder, 'node_modules', '.bin')
  mkdirSync(commands, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  const command = [process.execPath, ...program()].map((part) => `'${part}'`).join(' ')
  writeFileSync(join(commands, 'tidegate'), `#!/bin/sh\nexec ${command} "$@"\n`)
  chmodSync(join(commands, 'tidegate'), 0o755)
  const settings = {
    ...{ NETWORK_URL: '{"11155111":"http://127.0.0.1:1"}', PROVIDER_PRIVATE_KEY: `0x${'11'.repeat(32)}` },
    ...{ HOST: '127.0.0.1', PORT: '0', STATE_DIR: join(folder, 'state'), LOG_FORMAT: 'json' },
  }
  const npx = owned(
    spawn('npx', ['--no-install', 'tidegate', 'start'], {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder, ...settings },
      stdio: ['ignore', 'ignore', 'pipe'],
    }),
  )
  let said = ''
  npx.stderr?.on('data', (chunk) => {
    said += chunk
    if (!npx.killed && said.includes('service started')) npx.kill('SIGTERM')
  })
  // closes once the service, which holds the pipe as well, has ended
  await once(npx, 'close')
  expect(said).toContain('service started')
  expect(said).toContain('service stopped')
})
