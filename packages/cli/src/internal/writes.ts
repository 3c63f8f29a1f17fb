/**
 * Commands that send a write: with its key, after a question if money is real. Two of them follow what they made until
 * its status is final.
 */
import * as Clock from "effect/Clock"
import * as Command from "@effect/cli/Command"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Gateway from "@manilla/core/Gateway"
import * as Operation from "@manilla/core/Operation"
import * as Option from "effect/Option"
import * as PaymentsApi from "@manilla/payments/PaymentsApi"
import * as PayoutsApi from "@manilla/payouts/PayoutsApi"
import * as Polling from "@manilla/core/Polling"
import * as Stream from "effect/Stream"
import * as fields from "./fields.js"
import * as inputs from "./inputs.js"
import * as output from "./output.js"
import * as service from "./service.js"
import { exitCodes, Failure, ofCall } from "./Failure.js"

type Look = Pick<output.Look, "json" | "reveal">

export interface Write {
  /** Such as `payouts create`. */
  readonly command: string
  readonly about: string
  readonly group: string
  readonly name: string
  readonly operation: Operation.Operation
  /** Members of the body that the command sets. */
  readonly fixed?: Readonly<Record<string, string>>
  /** Runs after a success. `again` is the command that does the same under the same key. */
  readonly conclude: (
    data: unknown,
    look: Look,
    again: string
  ) => Effect.Effect<void, Failure, Gateway.Gateway>
}

export const commandOf = ({
  about,
  command,
  conclude,
  fixed = {},
  group,
  name,
  operation
}: Write) => {
  const own = inputs.of(operation).filter(({ field }) => !(field.path.join(".") in fixed))
  return Command.make(
    command.replace(/.* /, ""),
    { given: inputs.configOf(own), look: output.options, yes: service.yes },
    ({ given: { options: given }, look, yes }) =>
      Effect.gen(function* () {
        const gateway = yield* Gateway.Gateway
        const call = gateway.calls(Operation.group(group, { [name]: operation }))[name]
        yield* service.askIfLive(`${about}: ${inputs.summary(own, given)};`, yes)
        const again = inputs.commandLine(command, own, given, look.reveal)
        const request = {
          headers: inputs.partOf("headers", own, given),
          payload: { ...fixed, ...inputs.partOf("payload", own, given) }
        }
        yield* Effect.orDie(Effect.fromNullable(call)).pipe(
          Effect.flatMap((send) => Effect.mapError(send(request), ofCall(again))),
          Effect.flatMap((data) => conclude(data, look, again)),
          Effect.onInterrupt(() =>
            Console.error(`Stopped. It may exist. The same again:\n  ${again}`)
          )
        )
      }).pipe(Effect.provide(service.live))
  ).pipe(Command.withDescription(about))
}

/** A resource that is read until its status is final. */
interface Subject {
  readonly group: string
  readonly get: Operation.Operation
  /** The member by which it is read, and the name of that parameter. */
  readonly by: "id" | "reference"
  readonly parameter: string
}

const open = (message: string) => new Failure({ code: exitCodes.Open, message })

/** Prints a change, with the time of day of this machine. */
const note = (line: string) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Console.error(`${new Date(now).toLocaleTimeString("sv-SE")}  ${line}`)
  )

const resourceOf = (data: unknown, by: string) => ({
  id: String(fields.valueIn(data, [by])),
  status: String(fields.valueIn(data, ["status"])),
  data
})

const follow =
  ({ by, get, group, parameter }: Subject): Write["conclude"] =>
  (data, look, again) =>
    Effect.gen(function* () {
      const gateway = yield* Gateway.Gateway
      const calls = gateway.calls(Operation.group(group, { get: Operation.safe(get) }))
      const { waits } = Polling.make({
        operation: `${group}.awaitFinal`,
        by: "id",
        read: (id: string, options) =>
          Effect.map(calls.get({ path: { [parameter]: id } }, options), (read) =>
            resourceOf(read, by)
          ),
        stillPending: (_, { message }) => open(message)
      })
      const created = resourceOf(data, by)
      yield* note(`${created.id}: ${created.status}`)
      const final = yield* waits.changes(created.id).pipe(
        Stream.tap(({ status }) =>
          Effect.when(note(`${created.id}: ${status}`), () => status !== created.status)
        ),
        Stream.runLast,
        Effect.map(Option.getOrElse(() => created)),
        Effect.mapError(({ message }) => open(`It exists. ${message}\nFollow it with:\n  ${again}`))
      )
      yield* output.resource(final.data, fields.of(get.success), look)
      if (final.status === "COMPLETED") return
      return yield* open(
        `The final status is ${output.text(final.status)}, not COMPLETED. Ask the service what it means before you try again with another key.`
      )
    })

const payment: Write = {
  command: "payments collect",
  about: "Collect a payment and follow it until its status is final",
  group: "Payments",
  name: "create",
  operation: PaymentsApi.create,
  fixed: { operation: "COLLECTION" },
  conclude: follow({
    group: "Payments",
    get: PaymentsApi.get,
    by: "id",
    parameter: "paymentIntent"
  })
}

const payout: Write = {
  command: "payouts disburse",
  about: "Pay a beneficiary and follow the payout until its status is final",
  group: "Payouts",
  name: "create",
  operation: PayoutsApi.create,
  conclude: follow({
    group: "Payouts",
    get: PayoutsApi.get,
    by: "reference",
    parameter: "reference"
  })
}

/** The writes that are followed. */
export const followed = [payment, payout]
