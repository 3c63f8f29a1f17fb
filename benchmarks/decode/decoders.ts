// The decoders. Each takes a parsed document and throws if it is invalid.
import * as Page from "@manilla/core/Page"
import * as PaymentIntent from "@manilla/payments/PaymentIntent"
import * as Transaction from "@manilla/transactions/Transaction"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
// Not exported by its package, but measured separately.
import * as guard from "../../packages/core/src/internal/guard.js"
import { answerSchemas } from "../candidates/answerSchemas.js"
import { zodSchemas } from "../candidates/zodSchemas.js"
import type { Document } from "./Decoded.js"

type Decode = (value: unknown) => void

type Decoder = Readonly<Record<Document, Decode>>

const envelope = <Data extends Schema.Schema.Any>(data: Data) =>
  Schema.Struct({
    success: Schema.Literal(true),
    data,
    meta: Schema.optional(
      Schema.Struct({ correlation_id: Schema.optional(Schema.NullOr(Schema.String)) })
    )
  })

const manilla = {
  "one payment": envelope(PaymentIntent.CreatedPaymentIntent),
  "page of 100": envelope(Page.of(Transaction.Transaction))
}

const bySchema = <A, I>(schema: Schema.Schema<A, I>): Decode => {
  const decode = ParseResult.decodeUnknownEither(schema)
  return (value) => {
    if (Either.isLeft(decode(value))) throw new Error("invalid document")
  }
}

const byGuard = <A, I>(schema: Schema.Schema<A, I>): Decode => {
  const fits = guard.compile(schema)
  return (value) => {
    if (!fits(value)) throw new Error("invalid document")
  }
}

const manillaBy = (decode: <A, I>(schema: Schema.Schema<A, I>) => Decode): Decoder => ({
  "one payment": decode(manilla["one payment"]),
  "page of 100": decode(manilla["page of 100"])
})

export const decoders: Readonly<Record<string, Decoder>> = {
  "Manilla's guard": manillaBy(byGuard),
  "the same schema, by Effect": manillaBy(bySchema),
  "Effect Schema": {
    "one payment": bySchema(answerSchemas.create),
    "page of 100": bySchema(answerSchemas.list)
  },
  "zod 4": {
    "one payment": (value) => void zodSchemas.create.parse(value),
    "page of 100": (value) => void zodSchemas.list.parse(value)
  }
}
