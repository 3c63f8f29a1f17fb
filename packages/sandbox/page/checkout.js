// The hosted page of a payment link: a person enters a phone number and pays.
import { textIn } from "./parts.js"
import { html, render, useState } from "./preact.js"

/** @typedef {import("./parts.js").Child} Child */
/**
 * @typedef {{
 *   merchant: string | null, amount: string, currency: string, country: string, description: string | null,
 *   reference: string, status: string, expires_at: string | null, success_url: string | null,
 *   failure_url: string | null, attempt: string, is_paid: boolean
 * }} Link
 */

/** Each text in English and in French. */
const texts = {
  title: ["Payment", "Paiement"],
  other: ["Français", "English"],
  pay: ["Pay", "Payer"],
  shop: ["Sandbox shop", "Boutique d’essai"],
  for: ["For", "Objet"],
  reference: ["Reference", "Référence"],
  phone: ["Mobile money number", "Numéro mobile money"],
  country: ["Country code", "Indicatif du pays"],
  hint: ["For example", "Par exemple"],
  invalid: [
    "Enter a mobile money number, such as",
    "Saisissez un numéro mobile money, par exemple"
  ],
  cancel: ["Cancel", "Annuler"],
  back: ["Return to the shop", "Retour à la boutique"],
  again: ["Pay after all", "Payer quand même"],
  retry: ["Try again", "Réessayer"],
  sending: ["Sending…", "Envoi…"],
  sandbox: [
    "This is a sandbox. No real money moves.",
    "Ceci est un bac à sable. Aucun argent réel ne circule."
  ],
  paid: ["Payment received", "Paiement reçu"],
  paidText: ["You paid", "Vous avez payé"],
  paidFrom: ["from the number that ends in", "avec le numéro qui se termine par"],
  cancelled: ["Payment cancelled", "Paiement annulé"],
  cancelledText: [
    "You cancelled the payment. Nothing was paid.",
    "Vous avez annulé le paiement. Rien n’a été payé."
  ],
  used: ["Link used", "Lien utilisé"],
  usedText: [
    "This link was already used. It cannot be paid again.",
    "Ce lien a déjà été utilisé. Il ne peut plus être payé."
  ],
  expired: ["Link expired", "Lien expiré"],
  expiredText: ["This link expired on", "Ce lien a expiré le"],
  refused: ["Payment refused", "Paiement refusé"],
  refusedText: ["Nothing was paid.", "Rien n’a été payé."],
  closed: ["Link closed", "Lien fermé"],
  closedText: ["This link cannot be paid.", "Ce lien ne peut pas être payé."],
  unknown: ["Unknown link", "Lien inconnu"],
  unknownText: ["This payment link does not exist.", "Ce lien de paiement n’existe pas."],
  offline: [
    "The service does not respond. Try again: you pay once, however often you send.",
    "Le service ne répond pas. Réessayez : vous payez une seule fois."
  ]
}

/** A link that was used or has expired says nothing about this payer. @type {Readonly<Record<string, { kind: string, sign: string }>>} */
const seals = {
  paid: { kind: "good", sign: "✓" },
  refused: { kind: "bad", sign: "×" },
  unknown: { kind: "bad", sign: "×" }
}

/** The code of each country, and a number there. @type {Readonly<Record<string, readonly [code: string, number: string]>>} */
const phones = {
  BF: ["+226", "70 00 00 00"],
  BJ: ["+229", "01 00 00 00 00"],
  CI: ["+225", "01 00 00 00 00"],
  CM: ["+237", "6 00 00 00 00"],
  SN: ["+221", "70 000 00 00"],
  TG: ["+228", "90 00 00 00"]
}

const parameters = new URLSearchParams(location.search)

/** Keeps a choice in the address. @param {string} name @param {string} value */
const remember = (name, value) => {
  parameters.set(name, value)
  history.replaceState(null, "", `${location.pathname}?${parameters}`)
}

/** The link, or the error of the service. @param {string} path @param {object} [body] */
const send = async (path, body) => {
  const headers = { "content-type": "application/json" }
  const init = body && { method: "POST", headers, body: JSON.stringify(body) }
  const response = await fetch(location.pathname + path, init)
  return { isOk: response.ok, json: await response.json() }
}

/** @param {{ first: { isOk: boolean, json: any } }} props */
const Checkout = ({ first }) => {
  const preferred = navigator.language.startsWith("fr") ? "fr" : "en"
  const [lang, setLang] = useState(parameters.get("lang") ?? preferred)
  const [link, setLink] = useState(
    /** @type {Link | undefined} */ (first.isOk ? first.json : undefined)
  )
  const [country, setCountry] = useState(
    link !== undefined && link.country in phones ? link.country : "BJ"
  )
  const [phone, setPhone] = useState("")
  const [error, setError] = useState("")
  /** If a response was lost, an earlier number may have paid. */
  const [isLost, setLost] = useState(parameters.has("attempt"))
  const [reason, setReason] = useState("")
  /** The end of the number that paid. */
  const [number, setNumber] = useState("")
  const [step, setStep] = useState(
    /** @type {"form" | "sending" | "refused" | "cancelled"} */ ("form")
  )
  /** @param {keyof typeof texts} name */
  const say = (name) => texts[name][lang === "fr" ? 1 : 0] ?? ""
  document.documentElement.lang = lang
  document.title = say("title")
  const shop = link?.merchant || say("shop")
  const [code = "", example = ""] = phones[country] ?? []
  /** A number may also be written with its code. */
  const typed = phone.trim()
  const whole = typed === "" || typed.startsWith("+") ? typed : `${code} ${typed}`
  const digits = new Intl.NumberFormat(lang, { maximumFractionDigits: 4 })
  const countryName = (/** @type {string} */ name) =>
    new Intl.DisplayNames(lang, { type: "region" }).of(name)
  const amount = link && `${digits.format(/** @type {any} */ (link.amount))}\u00a0${link.currency}`

  const pay = async () => {
    if (link === undefined || step === "sending") return
    setError("")
    setStep("sending")
    const { attempt, failure_url, success_url } = link
    // If the response is lost, the page knows after a reload which attempt it has sent.
    remember("attempt", attempt)
    const { isOk, json } = await send("/pay", { attempt, phone_number: whole })
    if (isOk && success_url !== null) return location.assign(success_url)
    if (isOk) {
      setLink(json)
      setNumber(isLost ? "" : whole.slice(-2))
    } else if (json.data.error.code === "VALIDATION_FAILED") {
      setError(`${say("invalid")} ${example}.`)
      document.getElementById("phone")?.focus()
    } else {
      const { json: now } = await send("/link")
      if (now.status === "ACTIVE" && failure_url !== null) return location.assign(failure_url)
      setLink(now)
      setReason(json.data.error.message)
      return setStep("refused")
    }
    setStep("form")
  }

  /** @param {Event} event */
  const submit = (event) => {
    event.preventDefault()
    pay().catch(() => {
      setLost(true)
      setError(say("offline"))
      setStep("form")
    })
  }

  /** @param {keyof typeof texts} title @param {string} text @param {Child} [more] */
  const result = (
    title,
    text,
    more
  ) => html`<div class="result ${seals[title]?.kind ?? ""}" role="alert">
    <p class="seal" aria-hidden="true">${seals[title]?.sign ?? "–"}</p>
    <h2>${say(title)}</h2>
    <p>${text}</p>
    ${more}
  </div>`

  const content = () => {
    if (link === undefined) return result("unknown", say("unknownText"))
    const { expires_at, failure_url, is_paid, status, success_url } = link
    const url = is_paid ? success_url : failure_url
    const back = url && html`<a class="button" href=${url}>${say("back")}</a>`
    const from = number === "" ? "" : ` ${say("paidFrom")} ${number}`
    if (is_paid) return result("paid", `${say("paidText")} ${amount}${from}.`, back)
    if (status === "EXPIRED") {
      return result("expired", `${say("expiredText")} ${expires_at?.slice(0, 10)}.`, back)
    }
    if (status === "INACTIVE") return result("used", say("usedText"), back)
    if (status !== "ACTIVE") return result("closed", say("closedText"), back)
    /** @param {keyof typeof texts} name */
    const form = (name) =>
      html`<button type="button" onClick=${() => setStep("form")}>${say(name)}</button>`
    if (step === "refused") {
      return result("refused", `${say("refusedText")} ${reason}`, html`${form("retry")} ${back}`)
    }
    if (step === "cancelled") return result("cancelled", say("cancelledText"), form("again"))
    return html`<form class="fields" noValidate onSubmit=${submit}>
      <label for="country">${say("country")}</label>
      <select id="country" value=${country} onChange=${(/** @type {Event} */ event) => setCountry(textIn(event))}>
        ${Object.entries(phones).map(([name, [code]]) => html`<option key=${name} value=${name}>${countryName(name)} ${code}</option>`)}
      </select>
      <label for="phone">${say("phone")}</label>
      <input id="phone" type="tel" autocomplete="tel" required maxlength="32" placeholder=${example} value=${phone}
        aria-describedby="note" aria-invalid=${error !== ""} onInput=${(/** @type {Event} */ event) => setPhone(textIn(event))} />
      <p id="note" role="status" class=${error ? "bad" : "hint"}>${error || `${say("hint")} ${example}`}</p>
      <button type="submit" aria-disabled=${step === "sending"}>${step === "sending" ? say("sending") : `${say("pay")} ${amount}`}</button>
      ${
        failure_url
          ? html`<a class="button quiet" href=${failure_url}>${say("cancel")}</a>`
          : html`<button type="button" class="quiet" onClick=${() => setStep("cancelled")}>${say("cancel")}</button>`
      }
    </form>`
  }

  const other = lang === "fr" ? "en" : "fr"
  const switchLanguage = () => {
    remember("lang", other)
    setLang(other)
  }
  return html`<main>
    <p class="bar"><button type="button" class="link" lang=${other} onClick=${switchLanguage}>${say("other")}</button></p>
    <div class="card">
      <h1><span aria-hidden="true">${[...shop][0]}</span> ${shop}</h1>
      ${
        link &&
        html`<p class="amount">${amount}</p>
        <dl>
          ${link.description && html`<dt>${say("for")}</dt><dd>${link.description}</dd>`}
          <dt>${say("reference")}</dt><dd>${link.reference}</dd>
        </dl>`
      }
      ${content()}
    </div>
    <p class="hint">${say("sandbox")}</p>
  </main>`
}

const attempt = parameters.get("attempt")
const first = await send(
  attempt === null ? "/link" : `/link?attempt=${encodeURIComponent(attempt)}`
)
const root = document.getElementById("page")
if (root !== null) render(html`<${Checkout} first=${first} />`, root)
