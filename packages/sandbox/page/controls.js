// The clock, the credentials and the reset.
import { call, controlCurl, curl } from "./api.js"
import { act, byId, copy, h, valueOf } from "./dom.js"

/** @typedef {typeof import("../src/ControlApi.js").Credentials.Encoded} Credentials */
/** @typedef {typeof import("../src/ControlApi.js").Clock.Encoded} Clock */

/** @param {Clock} clock */
const showTime = ({ now }) => {
  const time = byId("now", HTMLTimeElement)
  time.dateTime = now
  time.textContent = `${now.slice(0, 10)} ${now.slice(11, 19)} UTC`
}

export const refreshClock = async () => {
  showTime(await call("GET", "/clock"))
}

/** @param {number} seconds */
const advance = (seconds) =>
  act(async () => {
    /** @type {Clock} */
    const clock = await call("POST", "/clock/advance", { seconds })
    showTime(clock)
    return `The clock is now ${clock.now.slice(0, 19).replace("T", " ")} UTC.`
  })

const form = byId("advance", HTMLFormElement)
form.addEventListener("submit", (event) => {
  event.preventDefault()
  advance(Number(valueOf(form, "seconds")))
})
for (const step of byId("steps", HTMLElement).querySelectorAll("button")) {
  step.addEventListener("click", () => advance(Number(step.dataset["seconds"])))
}
byId("advance-curl", HTMLButtonElement).addEventListener("click", () =>
  copy(controlCurl("POST", "/clock/advance", { seconds: Number(valueOf(form, "seconds")) }))
)

/** @param {Credentials} credentials */
const showCredentials = ({ auth_url, base_url, client_id, client_secret }) =>
  byId("credentials", HTMLElement).replaceChildren(
    ...Object.entries({
      "Base URL": base_url,
      "Auth URL": auth_url,
      "Client id": client_id,
      "Client secret": client_secret
    }).flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, h("code", {}, value))])
  )

export const refreshCredentials = async () => {
  showCredentials(await call("GET", "/credentials"))
}

byId("rotate", HTMLButtonElement).addEventListener("click", () =>
  act(async () => {
    showCredentials(await call("POST", "/credentials/rotate"))
    return "The client secret was replaced, and its tokens were revoked."
  })
)
byId("revoke", HTMLButtonElement).addEventListener("click", () =>
  act(async () => {
    await call("POST", "/tokens/revoke")
    return "All tokens were revoked."
  })
)
byId("reset", HTMLButtonElement).addEventListener("click", () =>
  act(async () => {
    await call("POST", "/reset")
    await Promise.all([refreshCredentials(), refreshClock()])
    return "The sandbox is in its initial state."
  })
)
byId("token-curl", HTMLButtonElement).addEventListener("click", () =>
  act(async () => {
    /** @type {Credentials} */
    const { auth_url, client_id, client_secret } = await call("GET", "/credentials")
    const line = curl("POST", `${auth_url}/auth/application/token`, {
      body: JSON.stringify({ client_id, client_secret })
    })
    copy(line)
    return "The line has the client secret."
  })
)
