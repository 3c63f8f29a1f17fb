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
  Effect.catchTag("ControlError", ({ message }) =>
    Effect.succeed(page("Refused", note("bad", `${message} Nothing was paid.`), 403))
  )
)

const seeOther = (location: string) =>
  HttpServerResponse.empty({ status: 303, headers: { location, "cache-control": "no-store" } })

const page = (title: string, body: string, status = 200, formAction?: string) =>
  html.page({
    title,
    status,
    policy: { formAction },
    body: `<main class="narrow"><h1>${html.escape(title)}</h1>${body}
<p class="hint">This is a sandbox. No real money moves.</p></main>`
  })

const note = (kind: "good" | "bad", text: string) =>
  `<p class="note ${kind}" role="alert">${html.escape(text)}</p>`

/** The amount without trailing zeros. */
const amountOf = ({ amount, currency }: Hosted) =>
  `${amount.replace(/\.0+$/, "").replace(/(\.\d*?)0+$/, "$1")} ${currency}`

const details = (hosted: Hosted) => {
  const { description, reference } = hosted
  return `<dl>
<dt>Amount</dt><dd><strong>${html.escape(amountOf(hosted))}</strong></dd>
${description ? `<dt>For</dt><dd>${html.escape(description)}</dd>` : ""}
<dt>Reference</dt><dd>${html.escape(reference)}</dd>
</dl>`
}

const back = (text: string, address: URL | undefined) =>
  address === undefined
    ? ""
    : `<p><a class="button" href="${html.escape(address.href)}">${html.escape(text)}</a></p>`

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
    return page("Payment", `${note("bad", reason)}${details(hosted)}${back("Return", failure)}`)
  }
  // Browsers apply `form-action` to the answer of a form as well, which is a redirect.
  const targets = ["'self'", ...[addressOf(success_url), failure].map((url) => url?.origin ?? "")]
  const cancel = failure?.href ?? `${checkoutPath(reference)}?cancelled`
  return page(
    "Payment",
    `${details(hosted)}
${error === undefined ? "" : `<p class="note bad" role="alert" id="error">${html.escape(error)}</p>`}
<form method="post" class="fields">
<input type="hidden" name="attempt" value="${html.escape(attempt)}">
<label>Phone number <input type="tel" name="phone_number" autocomplete="tel" required maxlength="${maxPhoneNumber}"${
      error === undefined ? "" : ` aria-invalid="true" aria-describedby="error"`
    }></label>
<p class="bar"><button type="submit">Pay ${html.escape(amountOf(hosted))}</button>
<a class="button" href="${html.escape(cancel)}">Cancel</a></p>
</form>`,
    error === undefined ? 200 : 422,
    targets.join(" ").trim()
  )
}

const paid = (hosted: Hosted) =>
  page(
    "Payment received",
    `${note("good", `You paid ${amountOf(hosted)}.`)}${
      hosted.success_url === null || addressOf(hosted.success_url) !== undefined
        ? ""
        : `<p>The link has a success_url that is not followed: it must be an http or https address, without ; and , in its host.</p>`
    }${details(hosted)}`
  )

const wasCancelled = (hosted: Hosted) =>
  page(
    "Payment cancelled",
    `${note("bad", "You cancelled the payment. Nothing was paid.")}${details(hosted)}
<p><a class="button" href="${html.escape(checkoutPath(hosted.reference))}">Pay after all</a></p>`
  )

/** A link that was used or expired meanwhile says so. Any other failure goes to `failure_url`. */
const failed = (hosted: Hosted, message: string) => {
  const failure = addressOf(hosted.failure_url)
  if (reasonOf(hosted) === undefined && failure !== undefined) return seeOther(failure.href)
  const reason = `${reasonOf(hosted) ?? message} Nothing was paid.`
  return page(
    "Payment failed",
    `${note("bad", reason)}${details(hosted)}${back("Return", failure)}`,
    422
  )
}

const unknown = page("Payment", note("bad", "This payment link does not exist."), 404)

export const routes = [
  HttpRouter.makeRoute("GET", checkoutPath(":reference"), show),
  HttpRouter.makeRoute("POST", checkoutPath(":reference"), pay)
]
