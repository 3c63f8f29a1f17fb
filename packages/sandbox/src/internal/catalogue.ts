/**
 * The services that the sandbox offers unless it is given others.
 */
import type { AvailableService } from "@manilla/catalogue/AvailableService"
import * as Country from "@manilla/core/Country"
import * as Currency from "@manilla/core/Currency"

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
