/**
 * The services that the sandbox offers unless it is given others.
 */
import type { AvailableService } from "@manilla/catalogue/AvailableService"
import * as Country from "@manilla/core/Country"
import * as Currency from "@manilla/core/Currency"
import * as Either from "effect/Either"
import * as refusal from "./refusal.js"

const xof = { code: Currency.Currency.make("XOF"), name: "West African CFA franc" }

const offered = [
  ["BJ", "Benin", ["mtn_momo", "moov_money", "celtiis_cash"]],
  ["CI", "Côte d'Ivoire", ["orange_money", "mtn_momo", "moov_money", "wave"]],
  ["SN", "Senegal", ["orange_money", "wave", "free_money"]],
  ["TG", "Togo", ["tmoney", "moov_money"]],
  ["BF", "Burkina Faso", ["orange_money", "moov_money"]]
] as const

const operations = ["COLLECTION", "DEPOSIT", "PAYOUT"] as const

/** Providers that are down for one operation, as some always are. */
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

/** Refuses what the catalogue lists as unavailable. What it does not list is accepted. */
export const checkAvailable = (
  services: ReadonlyArray<AvailableService>,
  wanted: {
    readonly country: string
    readonly currency: string
    readonly operation: string
    readonly payment_method: string
  }
): Either.Either<void, refusal.Refusal> => {
  const listed = services.find(
    ({ country, currency, operation, payment_method }) =>
      country.code === wanted.country &&
      currency.code === wanted.currency &&
      operation === wanted.operation &&
      payment_method === wanted.payment_method
  )
  return listed === undefined || listed.available ? Either.void : Either.left(unavailable)
}

const unavailable = refusal.business(
  "SERVICE_UNAVAILABLE",
  "The service is unavailable now.",
  "payment_method",
  "must be available in the catalogue of services"
)
