/**
 * The hosted page of a payment link, where a person enters a phone number and pays. The interface describes only its
 * address (section 2.4), so everything on it is the sandbox's own choice. `page/checkout.js` shows it.
 */
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import * as access from "../control/access.js"
import { Incoming } from "../http/incoming.js"
import * as reply from "../http/reply.js"
import * as listed from "../rules/listed.js"
import * as refusal from "../rules/refusal.js"
import { checkoutPath } from "../service/paymentLinks.js"
import * as webPage from "./webPage.js"

/** The attempt is the same for each repetition of one payment. */
const Payment = Schema.Struct({ attempt: Schema.NonEmptyString, phone_number: Schema.String })

const decode = Schema.decodeUnknown(Schema.parseJson(Payment))

/** An address that a browser may be sent to. */
const addressOf = (text: string | null): string | null => {
  if (text === null || !URL.canParse(text)) return null
  const { href, protocol } = new URL(text)
  return protocol === "http:" || protocol === "https:" ? href : null
}

const found = Effect.gen(function* () {
  const { emulation } = yield* Incoming
  const { params } = yield* HttpRouter.RouteContext
  const { reference = "" } = params
  const link = yield* emulation.look(() => emulation.paymentLinks.hosted(reference))
  return yield* refusal.found("payment link", link)
})

/** The members of the link that a payer may know, and whether this attempt paid it. */
const answer = (given: string | undefined) =>
  Effect.gen(function* () {
    const link = yield* found
    const { merchant } = link.metadata
    return HttpServerResponse.unsafeJson(
      {
        ...Struct.pick(link, "amount", "country", "currency", "description", "expires_at"),
        ...Struct.pick(link, "reference", "status"),
        merchant: Predicate.isString(merchant) ? merchant : null,
        success_url: addressOf(link.success_url),
        failure_url: addressOf(link.failure_url),
        attempt: given ?? (yield* IdempotencyKey.random),
        is_paid: given !== undefined && link.attempts.includes(given)
      },
      { headers: { "cache-control": "no-store" } }
    )
  })

const show = Effect.flatMap(HttpServerRequest.ParsedSearchParams, ({ attempt }) =>
  answer(Predicate.isString(attempt) ? attempt : undefined)
)

const pay = Effect.gen(function* () {
  const { body, controls, emulation } = yield* Incoming
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  yield* access.checkCaller(headers, controls)
  const { id } = yield* found
  const { attempt, phone_number } = yield* Effect.mapError(
    decode(new TextDecoder().decode(body)),
    () => refusal.of("UNREADABLE")
  )
  const invalid = listed.phone("phone_number", phone_number)
  // A person who leaves out the code would pay from another country's number.
  if (invalid !== undefined || !phone_number.startsWith("+")) {
    const rule = "must be a phone number with its country code, such as +2290100000000"
    return yield* refusal.because("VALIDATION_FAILED", "phone_number", rule)
  }
  yield* Effect.flatten(
    emulation.look((nowMillis) =>
      emulation.paymentLinks.attempt(id, phone_number, attempt, nowMillis)
    )
  )
  return yield* answer(attempt)
})

const path = checkoutPath(":reference")

export const routes = [
  HttpRouter.makeRoute("GET", path, webPage.file("checkout.html")),
  HttpRouter.makeRoute("GET", `${path}/link`, Effect.catchTag(show, "Refusal", reply.refuse)),
  HttpRouter.makeRoute("POST", `${path}/pay`, Effect.catchTag(pay, "Refusal", reply.refuse))
]
