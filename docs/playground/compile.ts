/** Compiles a program that the reader wrote. Its imports are the modules of this bundle. */
import * as cards from "@manilla/cards"
import * as core from "@manilla/core"
import * as paymentLinks from "@manilla/payment-links"
import * as payments from "@manilla/payments"
import * as payouts from "@manilla/payouts"
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

const modules: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["@manilla/cards", cards],
  ["@manilla/core", core],
  ["@manilla/payment-links", paymentLinks],
  ["@manilla/payments", payments],
  ["@manilla/payouts", payouts],
  ["@manilla/sandbox", { Exchange, Fault, Ledger, Prove, Sandbox }],
  ["@manilla/transactions", transactions],
  ["effect", { Array, Data, DateTime, Duration, Effect, Either, Layer, Option, Schedule, Schema }]
])

const moduleOf = (name: string): unknown => {
  if (modules.has(name)) return modules.get(name)
  throw new Error(`There is no module "${name}" here, only ${[...modules.keys()].join(", ")}.`)
}

/** Returns the export `program`. Throws if the code cannot be compiled, or has no such export. */
export const compile = (code: string): Effect.Effect<unknown, unknown, unknown> => {
  const javaScript = transform(code, { transforms: ["typescript", "imports"] }).code
  const exported: { readonly program?: unknown } = {}
  new Function("exports", "require", javaScript)(exported, moduleOf)
  if (Effect.isEffect(exported.program)) return exported.program
  throw new Error("The code must export an effect: export const program = Effect.gen(…)")
}
