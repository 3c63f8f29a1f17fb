/**
 * Makes one call, and has nothing more to do. On its output it says how the call ended, and, as the
 * process exits, how many milliseconds later that was.
 *
 * Arguments: the client, the base URL, and milliseconds after which the call is interrupted, or 0: in
 * real time, since what is tested is whether a timer keeps the process alive.
 */
import * as HttpClient from "@effect/platform/HttpClient"
import * as UndiciClient from "@manilla/core/UndiciClient"
import * as FakeService from "@manilla/test-support/FakeService"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { performance } from "node:perf_hooks"
import * as Undici from "undici"
import * as Clients from "../../test/utils/Clients.js"

const [client, baseUrl = "", interruptedAfter = "0"] = process.argv.slice(2)

/** On an agent that nobody closes. */
const open = Layer.sync(HttpClient.HttpClient, () => UndiciClient.make(new Undici.Agent()))

const clients: Readonly<Record<string, Layer.Layer<HttpClient.HttpClient>>> = {
  "UndiciClient on an open agent": open,
  "a client derived from UndiciClient on an open agent": Clients.derived(open),
  ...Clients.layers
}

const program = Effect.gen(function* () {
  const calls = yield* FakeService.callsAt(baseUrl, {
    bodyLimit: 1000,
    retry: { attempts: 2, attemptTimeout: baseUrl.endsWith("/silent") ? 300 : "1 minute" }
  })
  const read = calls.read(FakeService.calls.read)
  const millis = Number(interruptedAfter)
  return yield* millis === 0 ? Effect.asSome(read) : Effect.timeoutOption(read, millis)
})

const exit = await Effect.runPromiseExit(
  Effect.provide(program, clients[client ?? ""] ?? Layer.die("no such client"))
)
const ended = Exit.match(exit, {
  onSuccess: Option.match({ onNone: () => "Interrupted", onSome: () => "Success" }),
  onFailure: (cause) => (cause._tag === "Fail" ? cause.error._tag : String(cause))
})
const endedMillis = performance.now()
process.on("exit", () => {
  const laterMillis = Math.round(performance.now() - endedMillis)
  process.stdout.write(JSON.stringify({ ended, laterMillis }) + "\n")
})
