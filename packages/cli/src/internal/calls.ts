/**
 * Commands that make one call. A write needs its key, and asks first if money is real. Two of them follow what they
 * made until its status is final.
 */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Gateway from "@manilla/core/Gateway"
import * as Operation from "@manilla/core/Operation"
import * as Polling from "@manilla/core/Polling"
import * as Sensitive from "@manilla/core/Sensitive"
import * as PaymentIntent from "@manilla/payments/PaymentIntent"
import * as Payments from "@manilla/payments/Payments"
import * as PaymentsApi from "@manilla/payments/PaymentsApi"
import * as Payout from "@manilla/payouts/Payout"
import * as Payouts from "@manilla/payouts/Payouts"
import * as PayoutsApi from "@manilla/payouts/PayoutsApi"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { type Failure, open } from "./failure.js"
import * as fields from "./fields.js"
import * as inputs from "./inputs.js"
import * as output from "./output.js"
import * as service from "./service.js"

/** Runs after a success. */
type Conclude = (data: unknown, look: output.Look) => Effect.Effect<void, Failure, Gateway.Gateway>

export interface Call {
  /** Such as `payouts disburse`. */
  readonly name: string
  readonly about: string
  readonly group: string
  /** The name of the operation in its group. */
  readonly verb: string
  readonly operation: Operation.Operation
  /** Inputs that the command sets. */
  readonly fixed?: Readonly<Record<string, string>>
  /** By default, prints the resource. */
  readonly conclude?: Conclude
}

export const callOf = <O extends Operation.Operation>(group: string, verb: string, operation: O) =>
  Effect.flatMap(Gateway.Gateway, ({ calls }) =>
    Effect.orDie(Effect.fromNullable(calls(Operation.group(group, { [verb]: operation }))[verb]))
  )

export const commandOf = ({ about, conclude, fixed = {}, group, name, operation, verb }: Call) => {
  const print: Conclude = (data, look) => output.resource(data, fields.of(operation.success), look)
  const { payload } = operation
  const sensitive = payload === undefined ? () => [] : Sensitive.values(payload)
  const all = inputs.of(operation)
  const own = all.filter(({ name }) => !(name in fixed))
  const isWrite = operation.replay._tag !== "Safe"
  const config = {
    given: inputs.configOf(own),
    look: output.options,
    yes: isWrite ? service.yes : Options.map(Options.none, () => false)
  }
  return Command.make(name.replace(/.* /, ""), config, ({ given, look, yes }) =>
    Effect.gen(function* () {
      const call = yield* callOf(group, verb, operation)
      const words = `${about}: ${inputs.summary(own, given)};`
      if (isWrite) yield* service.askIfLive(words, yes)
      const request = inputs.requestOf(all, { ...given, ...fixed })
      const data = yield* Effect.mapError(call(request), inputs.failureOf(all))
      // The service may repeat a phone number when it refuses a later read.
      const redacting = Sensitive.redacting(sensitive(fields.valueIn(request, ["payload"])))
      yield* redacting((conclude ?? print)(data, look))
    }).pipe(Effect.provide(service.live))
  ).pipe(Command.withDescription(about))
}

const again = "The same command with the same key follows it, and moves no money twice."

/** Waits until the status of what was made is final, unless it is final already. */
const follow =
  (
    get: Operation.Operation,
    awaitFinal: (
      id: string
    ) => Effect.Effect<{ readonly status: string }, { readonly message: string }, Gateway.Gateway>
  ): Conclude =>
  (created, look) =>
    Effect.gen(function* () {
      const id = String(fields.valueIn(created, [inputs.keyOf(get)]))
      const status = String(fields.valueIn(created, ["status"]))
      yield* Effect.logInfo(`${id}: ${status}`)
      const waiting = awaitFinal(id).pipe(
        Effect.mapError(({ message }) => open(`It exists. ${message}\n${again}`)),
        Effect.onInterrupt(() => Console.error(`Stopped. It exists. ${again}`))
      )
      const final = Polling.isFinal({ status }) ? created : yield* waiting
      const finalStatus = fields.valueIn(final, ["status"])
      yield* output.resource(final, fields.of(get.success), look)
      if (finalStatus === "COMPLETED") return
      return yield* open(
        `The final status is ${output.text(finalStatus)}, not COMPLETED. Ask the service what it means before you try again with another key.`
      )
    })

/** The writes that are followed. */
export const followed: ReadonlyArray<Call> = [
  {
    name: "payments collect",
    about: "Collect a payment and follow it until its status is final",
    group: "Payments",
    verb: "create",
    operation: PaymentsApi.create,
    fixed: { operation: "COLLECTION" },
    conclude: follow(PaymentsApi.get, (id) =>
      Effect.flatMap(Payments.make, ({ awaitFinal }) => awaitFinal(PaymentIntent.makeId(id)))
    )
  },
  {
    name: "payouts disburse",
    about: "Pay a beneficiary and follow the payout until its status is final",
    group: "Payouts",
    verb: "create",
    operation: PayoutsApi.create,
    conclude: follow(PayoutsApi.get, (reference) =>
      Effect.flatMap(Payouts.make, ({ awaitFinal }) =>
        awaitFinal(Payout.makeReference(reference))
      ).pipe(
        // As the service sends it: the output hides it, unless it is to be revealed.
        Effect.map(({ destination, ...payout }) => ({
          ...payout,
          ...(destination && { destination: Redacted.value(destination) })
        }))
      )
    )
  }
]
