// The hosted page of a payment link: a person enters a phone number and pays.
import { grouped, textIn } from "./parts.js"
import { html, render, useState } from "./preact.js"

/**
 * @typedef {{
 *   merchant: string | null, amount: string, currency: string, country: string, description: string | null,
 *   reference: string, status: string, expires_at: string | null, success_url: string | null,
 *   failure_url: string | null, is_success_url_ignored: boolean, attempt: string, is_paid: boolean
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
  hint: ["With the country code, such as", "Avec l’indicatif du pays, par exemple"],
  invalid: [
    "Enter the number with its country code, such as",
    "Saisissez le numéro avec l’indicatif du pays, par exemple"
  ],
  cancel: ["Cancel", "Annuler"],
  back: ["Return to the shop", "Retour à la boutique"],
  again: ["Pay after all", "Payer quand même"],
  sending: ["Sending…", "Envoi…"],
  sandbox: [
    "This is a sandbox. No real money moves.",
    "Ceci est un bac à sable. Aucun argent réel ne circule."
  ],
  paid: ["Payment received", "Paiement reçu"],
  paidText: ["You paid", "Vous avez payé"],
  cancelled: ["Payment cancelled", "Paiement annulé"],
  cancelledText: [
    "You cancelled the payment. Nothing was paid.",
    "Vous avez annulé le paiement. Rien n’a été payé."
  ],
  used: ["Already paid", "Déjà payé"],
  usedText: [
    "This link was already used. It cannot be paid again.",
    "Ce lien a déjà été utilisé. Il ne peut plus être payé."
  ],
  expired: ["Link expired", "Lien expiré"],
  expiredText: ["This link expired on", "Ce lien a expiré le"],
  refused: ["Payment refused", "Paiement refusé"],
  refusedText: ["Nothing was paid.", "Rien n’a été payé."],
  unknown: ["Unknown link", "Lien inconnu"],
  unknownText: ["This payment link does not exist.", "Ce lien de paiement n’existe pas."],
  offline: [
    "The service does not answer. Try again: you pay once, however often you send.",
    "Le service ne répond pas. Réessayez : vous payez une seule fois."
  ],
  ignored: [
    "The link has a success_url that is not followed: it must be an http or https address.",
    "La success_url du lien n’est pas suivie : il faut une adresse http ou https."
  ]
}

/** A number of each country, to show how to write one. @type {Readonly<Record<string, string>>} */
const phones = {
  BF: "+226 70 00 00 00",
  BJ: "+229 01 00 00 00 00",
  CI: "+225 01 00 00 00 00",
  CM: "+237 6 00 00 00 00",
  SN: "+221 70 000 00 00",
  TG: "+228 90 00 00 00"
}

const parameters = new URLSearchParams(location.search)

/** @param {Readonly<Record<string, string | undefined>>} changed */
const remember = (changed) => {
  for (const [name, value] of Object.entries(changed)) {
    if (value === undefined) parameters.delete(name)
    else parameters.set(name, value)
  }
  history.replaceState(null, "", `${location.pathname}?${parameters}`)
}

const isPhone = (/** @type {string} */ text) =>
  /^\+?[\d .()-]+$/.test(text) && /^\d{8,15}$/.test(text.replace(/\D/g, "")) && text.length <= 32

/** The link, or the error of the service. @param {string} path @param {object} [body] */
const send = async (path, body) => {
  const init = body && {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body)
  }
  const response = await fetch(location.pathname + path, init)
  return { isOk: response.ok, status: response.status, json: await response.json() }
}

/** The amount without trailing zeros. @param {Link} link @param {string} lang */
const amountOf = ({ amount, currency }, lang) => {
  const [whole = "", fraction = ""] = amount.split(".")
  const rest = fraction.replace(/0+$/, "")
  const [separator, point] = lang === "fr" ? ["\u202f", ","] : [",", "."]
  return `${grouped(whole).replaceAll(",", separator)}${rest && point + rest}\u00a0${currency}`
}

/** @param {{ first: { isOk: boolean, json: any } }} props */
const Checkout = ({ first }) => {
  const [lang, setLang] = useState(
    parameters.get("lang") ?? (navigator.language.startsWith("fr") ? "fr" : "en")
  )
  const [link, setLink] = useState(
    /** @type {Link | undefined} */ (first.isOk ? first.json : undefined)
  )
  const [phone, setPhone] = useState("")
  const [error, setError] = useState("")
  const [isSending, setSending] = useState(false)
  const [isRefused, setRefused] = useState(false)
  const [isCancelled, setCancelled] = useState(false)
  /** @param {keyof typeof texts} name */
  const say = (name) => texts[name][lang === "fr" ? 1 : 0] ?? ""
  document.documentElement.lang = lang
  document.title = say("title")
  const shop = link?.merchant || say("shop")
  const example = phones[link?.country ?? ""] ?? "+229 01 00 00 00 00"

  /** @param {Event} event */
  const pay = async (event) => {
    event.preventDefault()
    if (link === undefined || isSending) return
    if (!isPhone(phone.trim())) {
      document.getElementById("phone")?.focus()
      return setError(`${say("invalid")} ${example}.`)
    }
    setSending(true)
    setError("")
    try {
      const { attempt, failure_url, success_url } = link
      const paid = await send("/pay", { attempt, phone_number: phone.trim() })
      if (paid.isOk) {
        if (success_url !== null) return location.assign(success_url)
        remember({ attempt })
        setLink(paid.json)
      } else if (paid.status === 422 && paid.json.data.error.code === "VALIDATION_FAILED") {
        setError(`${say("invalid")} ${example}.`)
      } else {
        const { json: now } = await send("/link")
        if (now.status === "ACTIVE" && failure_url !== null) return location.assign(failure_url)
        setRefused(true)
        setLink(now)
      }
    } catch {
      setError(say("offline"))
    } finally {
      setSending(false)
    }
  }

  /** @param {string} title @param {string} text @param {boolean} isGood @param {import("preact").ComponentChild} [more] */
  const result = (
    title,
    text,
    isGood,
    more
  ) => html`<div class="result ${isGood ? "good" : "bad"}" role="alert">
    <p class="seal" aria-hidden="true">${isGood ? "✓" : "×"}</p>
    <h2>${title}</h2>
    <p>${text}</p>
    ${more}
  </div>`

  /** @param {string | null | undefined} url */
  const back = (url) => url && html`<a class="button" href=${url}>${say("back")}</a>`

  const form = () => html`<form class="fields" noValidate onSubmit=${pay}>
      <label for="phone">${say("phone")}</label>
      <input id="phone" type="tel" autocomplete="tel" required maxlength="32" placeholder=${example} value=${phone}
        aria-describedby="note" aria-invalid=${error !== ""} onInput=${(/** @type {Event} */ event) => setPhone(textIn(event))} />
      <p id="note" role="status" class=${error ? "bad" : "hint"}>${error || `${say("hint")} ${example}`}</p>
      <button type="submit" aria-disabled=${isSending}>${isSending ? say("sending") : `${say("pay")} ${link && amountOf(link, lang)}`}</button>
      ${
        link?.failure_url
          ? html`<a class="button" href=${link.failure_url}>${say("cancel")}</a>`
          : html`<button type="button" onClick=${() => setCancelled(true)}>${say("cancel")}</button>`
      }
    </form>`

  const state = () => {
    if (link === undefined) return result(say("unknown"), say("unknownText"), false)
    const ignored = link.is_success_url_ignored && html`<p class="hint">${say("ignored")}</p>`
    if (link.is_paid)
      return result(
        say("paid"),
        `${say("paidText")} ${amountOf(link, lang)}.`,
        true,
        html`${ignored} ${back(link.success_url)}`
      )
    if (link.status === "EXPIRED")
      return result(
        say("expired"),
        `${say("expiredText")} ${link.expires_at?.slice(0, 10)}. ${say("refusedText")}`,
        false,
        back(link.failure_url)
      )
    if (link.status !== "ACTIVE")
      return result(
        say("used"),
        `${say("usedText")}${isRefused ? ` ${say("refusedText")}` : ""}`,
        false,
        back(link.failure_url)
      )
    if (isRefused) return result(say("refused"), say("refusedText"), false, back(link.failure_url))
    if (isCancelled)
      return result(
        say("cancelled"),
        say("cancelledText"),
        false,
        html`<button type="button" onClick=${() => setCancelled(false)}>${say("again")}</button>`
      )
    return form()
  }

  return html`<main>
    <p class="bar">
      <button type="button" class="link" lang=${lang === "fr" ? "en" : "fr"}
        onClick=${() => {
          const other = lang === "fr" ? "en" : "fr"
          remember({ lang: other })
          setLang(other)
        }}>${say("other")}</button>
    </p>
    <div class="card">
      <h1><span aria-hidden="true">${[...shop][0]}</span> ${shop}</h1>
      ${
        link &&
        html`<p class="amount">${amountOf(link, lang)}</p>
        <dl>
          ${link.description && html`<dt>${say("for")}</dt><dd>${link.description}</dd>`}
          <dt>${say("reference")}</dt><dd>${link.reference}</dd>
        </dl>`
      }
      ${state()}
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
