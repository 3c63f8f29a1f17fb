/**
 * Values that the catalogue does not list, and phone numbers that are none. The interface does not say what becomes
 * of them, so the sandbox warns. A warning has the value, but never a phone number.
 */
import type { AvailableService } from "@manilla/catalogue/AvailableService"
import { nearest } from "./nearest.js"

export interface Requested {
  readonly country: string
  readonly currency: string
  readonly payment_method?: string
  readonly operation?: string
}

export interface Unlisted {
  readonly field: string
  /** Completes "the field must be". */
  readonly rule: string
  readonly warning: string
}

const valuesOf = (service: AvailableService) => ({
  country: service.country.code,
  currency: service.currency.code,
  payment_method: service.payment_method,
  operation: service.operation
})

/** Whether a service of the catalogue is the requested one. */
export const is = (service: AvailableService, requested: Requested): boolean =>
  Object.entries(valuesOf(service)).every(([field, value]) => requested[field as Field] === value)

type Field = keyof Requested

const fields = ["country", "currency", "payment_method", "operation"] as const

/** The first value with which no service is left. */
export const service = (
  services: ReadonlyArray<AvailableService>,
  requested: Requested
): Unlisted | undefined => {
  let left = services
  for (const field of fields) {
    const value = requested[field]
    if (value === undefined) continue
    const next = left.filter((one) => valuesOf(one)[field] === value)
    if (next.length === 0) {
      const options = [...new Set(left.map((one) => valuesOf(one)[field]))]
      const [first] = field === "country" ? [] : left
      const where = `in the catalogue${first === undefined ? "" : ` of ${first.country.name}`}`
      const meant = nearest(value, options)
      const hint =
        meant === undefined ? `; it has ${options.join(", ")}` : `; did you mean ${meant}?`
      return {
        field,
        rule: `must be ${where}${hint}`,
        warning: `${field} ${JSON.stringify(value)} is not ${where}${hint}`
      }
    }
    left = next
  }
  return undefined
}

/** A phone number has 8 to 15 digits: the country code and the number. */
export const phone = (field: string, value: string): Unlisted | undefined => {
  const isPhone = /^\+?[\d .()-]+$/.test(value) && /^\d{8,15}$/.test(value.replace(/\D/g, ""))
  const like = "a phone number with its country code, such as +2290100000000"
  return isPhone
    ? undefined
    : { field, rule: `must be ${like}`, warning: `${field} is not ${like}` }
}
