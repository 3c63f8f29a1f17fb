/**
 * The default catalogue of services.
 */
import type { AvailableService } from "@manilla/catalogue/AvailableService"
import * as Country from "@manilla/core/Country"
import * as Currency from "@manilla/core/Currency"
import * as Either from "effect/Either"
import * as refusal from "../rules/refusal.js"

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

/** Refuses a service that the catalogue lists as unavailable. Unlisted services are accepted. */
export const checkAvailable = (
  services: ReadonlyArray<AvailableService>,
  requested: {
    readonly country: string
    readonly currency: string
    readonly operation: string
    readonly payment_method: string
  }
): Either.Either<void, refusal.Refusal> => {
  const listed = services.find(
    ({ country, currency, operation, payment_method }) =>
      country.code === requested.country &&
      currency.code === requested.currency &&
      operation === requested.operation &&
      payment_method === requested.payment_method
  )
  return listed === undefined || listed.available
    ? Either.void
    : refusal.because("SERVICE_UNAVAILABLE", "payment_method", "must be available in the catalogue")
}
