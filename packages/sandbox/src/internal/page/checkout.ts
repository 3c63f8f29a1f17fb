/**
 * The hosted page of a payment link, where a person enters a phone number and pays. It works without
 * scripts. The interface describes only its address (section 2.4), so everything on it is the sandbox's
 * own choice.
 */
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Effect from "effect/Effect"
import * as access from "../control/access.js"
import { Incoming } from "../http/incoming.js"
import type { Hosted } from "../service/paymentLinks.js"
import { checkoutPath } from "../service/paymentLinks.js"
import * as html from "./html.js"
import { markup } from "./html.js"

const maxPhoneNumber = 32

/**
 * The address to return to, if it is one that a browser may be sent to. Its origin becomes part of the policy,
 * where `;` and `,` in a host would begin another directive or policy.
 */
const addressOf = (text: string | null): URL | undefined => {
  if (text === null || !URL.canParse(text)) return undefined
  const url = new URL(text)
  const isFollowed = url.protocol === "http:" || url.protocol === "https:"
  return isFollowed && !/[;,]/.test(url.host) ? url : undefined
}

const found = Effect.gen(function* () {
  const { emulation } = yield* Incoming
  const { params } = yield* HttpRouter.RouteContext
  const hosted = yield* emulation.look(() =>
    emulation.paymentLinks.hosted(params["reference"] ?? "")
  )
  return { emulation, hosted }
})

const show = Effect.gen(function* () {
  const { hosted } = yield* found
  if (hosted === undefined) return unknown
  const { attempt, cancelled } = yield* HttpServerRequest.ParsedSearchParams
  if (typeof attempt === "string" && hosted.attempts.includes(attempt)) return paid(hosted)
  if (cancelled !== undefined) return wasCancelled(hosted)
  return payable(hosted, yield* IdempotencyKey.random)
})

const pay = Effect.gen(function* () {
  const { body, controls } = yield* Incoming
  yield* access.checkCaller((yield* HttpServerRequest.HttpServerRequest).headers, controls)
  const { emulation, hosted } = yield* found
  if (hosted === undefined) return unknown
  const form = new URLSearchParams(new TextDecoder().decode(body))
  const attempt = form.get("attempt") || (yield* IdempotencyKey.random)
  const phoneNumber = form.get("phone_number")?.trim() ?? ""
  if (phoneNumber === "" || phoneNumber.length > maxPhoneNumber) {
    return payable(hosted, attempt, `Enter a phone number of 1 to ${maxPhoneNumber} characters.`)
  }
  return yield* emulation
    .look((nowMillis) => emulation.paymentLinks.attempt(hosted.id, phoneNumber, attempt, nowMillis))
    .pipe(
      Effect.flatten,
      Effect.matchEffect({
        onFailure: ({ message }) =>
          Effect.map(found, (now) => failed(now.hosted ?? hosted, message)),
        onSuccess: () => {
          const success = addressOf(hosted.success_url)
          const own = `${checkoutPath(hosted.reference)}?attempt=${encodeURIComponent(attempt)}`
          return Effect.succeed(seeOther(success?.href ?? own))
        }
      })
    )
}).pipe(
  Effect.catchTag("Refusal", ({ message }) =>
    Effect.succeed(page("Refused", note("bad", `${message} Nothing was paid.`), 403))
  )
)

const seeOther = (location: string) =>
  HttpServerResponse.empty({ status: 303, headers: { location, "cache-control": "no-store" } })

const page = (title: string, body: html.Html, status = 200, formAction?: string) =>
  html.page(
    title,
    markup`<main class="narrow"><h1>${title}</h1>${body}
<p class="hint">This is a sandbox. No real money moves.</p></main>`,
    status,
    formAction
  )

const note = (kind: "good" | "bad", text: string) =>
  markup`<p class="note ${kind}" role="alert" id="note">${text}</p>`

/** The amount without trailing zeros. */
const amountOf = ({ amount, currency }: Hosted) =>
  `${amount.replace(/\.0+$/, "").replace(/(\.\d*?)0+$/, "$1")} ${currency}`

const details = (hosted: Hosted) => {
  const { description, reference } = hosted
  return markup`<dl>
<dt>Amount</dt><dd><strong>${amountOf(hosted)}</strong></dd>
${description ? markup`<dt>For</dt><dd>${description}</dd>` : ""}
<dt>Reference</dt><dd>${reference}</dd>
</dl>`
}

/** A page that says something about a link. */
const about = (
  title: string,
  hosted: Hosted,
  said: html.Html,
  more: html.Html | string = "",
  status = 200
) => page(title, markup`${said}${details(hosted)}${more}`, status)

const button = (text: string, address: string | undefined) =>
  address === undefined ? "" : markup`<p><a class="button" href="${address}">${text}</a></p>`

/** Why a link cannot be paid. */
const reasonOf = ({ expires_at, status }: Hosted): string | undefined => {
  switch (status) {
    case "ACTIVE":
      return undefined
    case "EXPIRED":
      return `This link expired${typeof expires_at === "string" ? ` on ${expires_at.slice(0, 10)}` : ""}. It cannot be paid any more.`
    case "INACTIVE":
      return "This link was already used. It cannot be paid again."
    default:
      return `This link is ${status}. It cannot be paid.`
  }
}

const payable = (hosted: Hosted, attempt: string, error?: string) => {
  const { failure_url, reference, success_url } = hosted
  const failure = addressOf(failure_url)
  const reason = reasonOf(hosted)
  if (reason !== undefined) {
    return about("Payment", hosted, note("bad", reason), button("Return", failure?.href))
  }
  // Browsers apply `form-action` to the answer of a form as well, which is a redirect.
  const targets = ["'self'", ...[addressOf(success_url), failure].map((url) => url?.origin ?? "")]
  const invalid = markup` aria-invalid="true" aria-describedby="note"`
  return page(
    "Payment",
    markup`${details(hosted)}
${error && note("bad", error)}
<form method="post" class="fields">
<input type="hidden" name="attempt" value="${attempt}">
<label>Phone number <input type="tel" name="phone_number" autocomplete="tel" required maxlength="${String(maxPhoneNumber)}"${error && invalid}></label>
<p class="bar"><button type="submit">Pay ${amountOf(hosted)}</button>
<a class="button" href="${failure?.href ?? `${checkoutPath(reference)}?cancelled`}">Cancel</a></p>
</form>`,
    error === undefined ? 200 : 422,
    targets.join(" ").trim()
  )
}

const paid = (hosted: Hosted) => {
  const isIgnored = hosted.success_url !== null && addressOf(hosted.success_url) === undefined
  const ignored = markup`<p>The link has a success_url that is not followed: it must be an http or https address, without ; and , in its host.</p>`
  const text = `You paid ${amountOf(hosted)}.`
  return about("Payment received", hosted, note("good", text), isIgnored ? ignored : "")
}

const wasCancelled = (hosted: Hosted) =>
  about(
    "Payment cancelled",
    hosted,
    note("bad", "You cancelled the payment. Nothing was paid."),
    button("Pay after all", checkoutPath(hosted.reference))
  )

/** A link that was used or expired meanwhile says so. Any other failure goes to `failure_url`. */
const failed = (hosted: Hosted, message: string) => {
  const failure = addressOf(hosted.failure_url)
  const reason = reasonOf(hosted)
  if (reason === undefined && failure !== undefined) return seeOther(failure.href)
  const said = note("bad", `${reason ?? message} Nothing was paid.`)
  return about("Payment failed", hosted, said, button("Return", failure?.href), 422)
}

const unknown = page("Payment", note("bad", "This payment link does not exist."), 404)

export const routes = [
  HttpRouter.makeRoute("GET", checkoutPath(":reference"), show),
  HttpRouter.makeRoute("POST", checkoutPath(":reference"), pay)
]
