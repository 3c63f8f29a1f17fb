// The page of the sandbox.
import { call } from "./api.js"
import { start } from "./app.js"
import { Clock, Credentials } from "./controls.js"
import { Faults } from "./faults.js"
import { follow } from "./live.js"
import { Money } from "./money.js"
import { Overview } from "./overview.js"
import { html } from "./preact.js"
import { Requests } from "./requests.js"
import { Resources } from "./resources.js"

const views = {
  overview: Overview,
  requests: Requests,
  resources: Resources,
  money: Money,
  faults: Faults,
  clock: Clock,
  credentials: Credentials
}

start({
  title: "Manilla sandbox",
  call,
  views,
  named: Object.keys(views),
  links: () => html`<a href="/docs">Docs</a>`
})
follow()
