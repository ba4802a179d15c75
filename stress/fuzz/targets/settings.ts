import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { ConfigError, loadSettings } from '../../../packages/provider/src/config/load.js'
import { SETTINGS, type Setting } from '../../../packages/provider/src/config/schema.js'
import { formatSettings } from '../../../packages/provider/src/config/show.js'
import { mutatedText } from '../lib/mutate.js'
import { edgeCaseText } from '../lib/odd.js'
import { holds, SECRET, target } from '../lib/target.js'

const FILE = join(mkdtempSync(join(tmpdir(), 'tidegate-fuzz-settings-')), 'settings')
const KEY = 'c0ffee17'.repeat(8)
/** In the format of a key, but shown where it is used as a name or a path. */
const OTHER = '33'.repeat(32)
const BASE = { NETWORK_URL: 'http://node.example', PROVIDER_PRIVATE_KEY: KEY }
const names = fc.constantFrom(...Object.keys(SETTINGS))
const examples = Object.values(SETTINGS as Record<string, Setting<unknown>>).flatMap(({ example }) => example ?? [])
const values = fc.constantFrom(
  ...examples,
  '{"1":"a"}',
  '["a"]',
  '[{"id":"a"}]',
  'true',
  '5',
  `https://x.example/${SECRET}`,
  OTHER,
)
const value = fc.oneof(mutatedText(values, 2), edgeCaseText())
const line = fc.oneof(
  fc.tuple(names, value).map(([name, text]) => `${name}=${text}`),
  edgeCaseText(),
  fc.constant(SECRET),
)

/** The environment and the settings file. */
export default target({
  inputs: fc.record({
    environment: fc.dictionary(
      fc.oneof({ arbitrary: names, weight: 9 }, { arbitrary: edgeCaseText(), weight: 1 }),
      value,
      {
        maxKeys: 5,
      },
    ),
    lines: fc.array(line, { maxLength: 5 }),
  }),
  isRejection: (error) => error instanceof ConfigError,
  read({ environment, lines }) {
    const clean = Object.entries(environment).filter(([, text]) => !text.includes('\0'))
    writeFileSync(FILE, lines.join('\n'))
    const settings = loadSettings({ ...BASE, ...Object.fromEntries(clean) }, FILE)
    holds(!formatSettings(settings).some((shown) => shown.includes(KEY)), 'no key is shown')
  },
})
