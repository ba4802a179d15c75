import './styles/tokens.css'
import './styles/base.css'
import './styles/buttons.css'
import './styles/controls.css'
import './styles/shell.css'
import './styles/transfers.css'
import './styles/panels.css'
import './styles/parts.css'
import './styles/catalogue.css'
import './styles/cards.css'
import './styles/pages.css'
import './styles/accounting.css'
import './styles/asset.css'
import './styles/files.css'
import './styles/forms.css'
import { render } from 'preact'
import { App } from './app.js'
import { begin } from './start.js'
import { configState, loadConfig } from './state/config.js'
import { journal } from './state/journal.js'
import { keepFocus } from './state/page/focus.js'
import { watchOnline } from './state/page/online.js'
import { watchRoute } from './state/page/route.js'

watchOnline()
watchRoute()
journal.open()
configState.subscribe(begin)
void loadConfig()
const root = document.getElementById('app') as HTMLElement
keepFocus(root)
render(<App />, root)
