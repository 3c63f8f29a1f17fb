/**
 * The default catalogue of services.
 */
import type { AvailableService } from "@manilla/catalogue/AvailableService"
import * as Country from "@manilla/core/Country"
import * as Currency from "@manilla/core/Currency"
import * as Either from "effect/Either"
import * as listed from "../rules/listed.js"
import * as refusal from "../rules/refusal.js"
import type { Core, HandlerContext } from "./core.js"

const xof = { code: Currency.Currency.make("XOF"), name: "West African CFA franc" }

const offered = [
  ["BJ", "Benin", ["mtn_momo", "moov_money", "celtiis_cash"]],
  ["CI", "Côte d'Ivoire", ["orange_money", "mtn_momo", "moov_money", "wave"]],
  ["SN", "Senegal", ["orange_money", "wave", "free_money"]],
  ["TG", "Togo", ["tmoney", "moov_money"]],
  ["BF", "Burkina Faso", ["orange_money", "moov_money"]]
] as const

const operations = ["COLLECTION", "DEPOSIT", "PAYOUT"] as const

/** Some providers are down for one operation, as in production. */
const down: ReadonlySet<string> = new Set([
  "BJ celtiis_cash PAYOUT",
  "CI moov_money DEPOSIT",
  "SN free_money COLLECTION"
])

export const services: ReadonlyArray<AvailableService> = offered.flatMap(([code, name, methods]) =>
  methods.flatMap((payment_method) =>
    operations.map((operation) => ({
      country: { code: Country.Country.make(code), name },
      currency: xof,
      operation,
      payment_method,
      available: !down.has(`${code} ${payment_method} ${operation}`)
    }))
  )
)

/**
 * Refuses a service that the catalogue lists as unavailable, one that it does not list, and a phone number that is
 * none. If `lenient`, the last two are only warned about.
 */
export const check = (
  { lenient, services }: Pick<Core, "lenient" | "services">,
  requested: listed.Requested,
  [phoneField, phone]: readonly [field: string, phone: string],
  { warn }: Pick<HandlerContext, "warn">
): Either.Either<void, refusal.Refusal> => {
  for (const found of [...listed.service(services, requested), listed.phone(phoneField, phone)]) {
    if (found === undefined) continue
    if (!lenient) {
      const { field, rule, warning } = found
      return Either.left(
        refusal.of("NOT_LISTED", { message: `${warning}.`, issues: [{ field, rule }] })
      )
    }
    warn(found.warning)
  }
  const isDown = services.some((one) => !one.available && listed.is(one, requested))
  return isDown
    ? refusal.because("SERVICE_UNAVAILABLE", "payment_method", "must be available in the catalogue")
    : Either.void
}
