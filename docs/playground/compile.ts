/** Compiles a program that the reader wrote. Its imports are the modules of this bundle. */
import * as cards from "@manilla/cards"
import * as core from "@manilla/core"
import * as paymentLinks from "@manilla/payment-links"
import * as payments from "@manilla/payments"
import * as payouts from "@manilla/payouts"
import * as promises from "@manilla/promises"
import * as Exchange from "@manilla/sandbox/Exchange"
import * as Fault from "@manilla/sandbox/Fault"
import * as Ledger from "@manilla/sandbox/Ledger"
import * as Prove from "@manilla/sandbox/Prove"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as transactions from "@manilla/transactions"
import * as Array from "effect/Array"
import * as Data from "effect/Data"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { transform } from "sucrase"

interface Exports {
  readonly program?: unknown
  readonly faults?: ReadonlyArray<Fault.Fault>
}

/** Functions that take the place of those of the packages. */
export interface Own {
  readonly make: typeof promises.Promises.make
  readonly everyFaultPromise: typeof Prove.everyFaultPromise
}

/** Returns the exports of a program. Throws if it cannot be compiled. */
export const compile = (code: string, { everyFaultPromise, make }: Own): Exports => {
  const sandbox = { Exchange, Fault, Ledger, Prove: { ...Prove, everyFaultPromise }, Sandbox }
  const modules: Readonly<Record<string, unknown>> = {
    "@manilla/cards": cards,
    "@manilla/core": core,
    "@manilla/payment-links": paymentLinks,
    "@manilla/payments": payments,
    "@manilla/payouts": payouts,
    "@manilla/promises": { ...promises, Promises: { make } },
    "@manilla/sandbox": sandbox,
    "@manilla/transactions": transactions,
    effect: { Array, Data, DateTime, Duration, Effect, Either, Layer, Option, Schedule, Schema }
  }
  const moduleOf = (name: string): unknown => {
    if (Object.hasOwn(modules, name)) return modules[name]
    throw new Error(`There is no module "${name}" here, only ${Object.keys(modules).join(", ")}.`)
  }
  const exported: Exports = {}
  const javaScript = transform(code, { transforms: ["typescript", "imports"] }).code
  new Function("exports", "require", javaScript)(exported, moduleOf)
  return exported
}
