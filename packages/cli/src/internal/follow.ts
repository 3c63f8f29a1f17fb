/** Commands that make a payment or a payout, and follow it until its status is final. */
import * as Command from "@effect/cli/Command"
import * as Gateway from "@manilla/core/Gateway"
import * as Operation from "@manilla/core/Operation"
import * as Polling from "@manilla/core/Polling"
import * as PaymentsApi from "@manilla/payments/PaymentsApi"
import * as PayoutsApi from "@manilla/payouts/PayoutsApi"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { type ClientError, exitCodes, Failure, ofCall } from "./Failure.js"
import * as fields from "./fields.js"
import * as inputs from "./inputs.js"
import * as output from "./output.js"
import * as service from "./service.js"

/** What a command makes and follows. */
export interface Subject {
  readonly command: string
  readonly about: string
  readonly group: string
  readonly create: Operation.Operation
  readonly get: Operation.Operation
  /** The member by which it is read, and the name of that parameter. */
  readonly by: "id" | "reference"
  readonly parameter: string
  /** Members of the body that the command sets. */
  readonly fixed: Readonly<Record<string, string>>
}

class StillPending extends Data.TaggedError("StillPending")<{ readonly message: string }> {}

/** A time of day as people in the time zone of this process write it. */
const timeOf = (millis: number): string => new Date(millis).toLocaleTimeString("sv-SE")

const note = (line: string) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => Console.error(`${timeOf(now)}  ${line}`))

const followed = ({ by, get, group, parameter }: Subject, gateway: Gateway.Service) => {
  const calls = gateway.calls(Operation.group(group, { get: Operation.safe(get) }))
  const { waits } = Polling.make({
    operation: `${group}.awaitFinal`,
    by: "id",
    read: (id: string, options) =>
      Effect.map(calls.get({ path: { [parameter]: id } }, options), (data) => resourceOf(data, by)),
    stillPending: (_, { message }) => new StillPending({ message })
  })
  return waits
}

const resourceOf = (data: unknown, by: string) => ({
  id: String(fields.valueIn(data, [by])),
  status: String(fields.valueIn(data, ["status"])),
  data
})

export const commandOf = (subject: Subject) => {
  const { about, by, command, create, fixed, get, group } = subject
  const own = inputs.of(create).filter(({ field }) => !(field.path.join(".") in fixed))
  const [noun = "", verb = ""] = command.split(" ")
  return Command.make(
    verb,
    { given: inputs.configOf(own), look: output.options, yes: service.yes },
    ({ given: { options: given }, look, yes }) =>
      Effect.gen(function* () {
        const gateway = yield* Gateway.Gateway
        const calls = gateway.calls(Operation.group(group, { create }))
        yield* service.askIfLive(`${about}: ${inputs.summary(own, given)};`, yes)
        const again = inputs.commandLine(command, own, given, look.reveal)
        const open = (message: string) =>
          new Failure({ code: exitCodes.Open, message: `${message}\nContinue with:\n  ${again}` })
        const request = {
          headers: inputs.partOf("headers", own, given),
          payload: { ...fixed, ...inputs.partOf("payload", own, given) }
        }
        yield* note(`sending under the key ${String(given["key"])}`)
        const final = yield* Effect.gen(function* () {
          const created = resourceOf(
            yield* Effect.mapError(calls.create(request), ofCall(again)),
            by
          )
          yield* note(`${created.id}: ${created.status}`)
          return yield* followed(subject, gateway)
            .changes(created.id)
            .pipe(
              Stream.filter(({ status }) => status !== created.status),
              Stream.tap(({ status }) => note(`${created.id}: ${status}`)),
              Stream.runLast,
              Effect.map(Option.getOrElse(() => created)),
              Effect.mapError(({ message }: ClientError | StillPending) =>
                open(`It exists, and its status is not known to be final. ${message}`)
              )
            )
        }).pipe(
          Effect.onInterrupt(() =>
            Console.error(`Stopped. It may exist. Continue with the same key:\n  ${again}`)
          )
        )
        yield* output.resource(final.data, fields.of(get.success), look)
        if (final.status === "COMPLETED") return
        return yield* new Failure({
          code: exitCodes.Open,
          message: `The final status is ${output.text(final.status)}, not COMPLETED. Ask the service what it means before you try again with another key. \`manilla ${noun} get ${final.id}\` reads it again.`
        })
      }).pipe(Effect.provide(service.live))
  ).pipe(Command.withDescription(about))
}

export const payment: Subject = {
  command: "payments collect",
  about: "Collect a payment and follow it until its status is final",
  group: "Payments",
  create: PaymentsApi.create,
  get: PaymentsApi.get,
  by: "id",
  parameter: "paymentIntent",
  fixed: { operation: "COLLECTION" }
}

export const payout: Subject = {
  command: "payouts disburse",
  about: "Pay a beneficiary and follow the payout until its status is final",
  group: "Payouts",
  create: PayoutsApi.create,
  get: PayoutsApi.get,
  by: "reference",
  parameter: "reference",
  fixed: {}
}
