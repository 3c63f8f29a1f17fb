/**
 * A server in any language and in real time, as a checkout: its buyer, its deaths, and what it says.
 */
import type { CommandExecutor } from "@effect/platform/CommandExecutor"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as SandboxServer from "../../SandboxServer.js"
import * as environment from "../command/environment.js"
import type { Proof } from "../command/proof.js"
import { valueAt } from "../faults/queue.js"
import type * as judge from "./judge.js"
import * as servers from "./server.js"
import * as times from "./time.js"
import { Problem } from "./trial.js"
import type { World } from "./trial.js"

type Server = Effect.Effect.Success<ReturnType<typeof servers.start>>

export const world = (proof: Proof, cwd: string): World<never> => ({
  lastsMillis: Duration.toMillis(proof.lasts),
  // Later than the server waits.
  lateMillis: Duration.toMillis(proof.deadline) + 1000,
  askMillis: 100,
  pauseMillis: 8000,
  endMillis: Duration.toMillis(proof.patience),
  logs: false,
  time: times.real,
  open: (note) => open(proof, cwd, note)
})

const open = (proof: Proof, cwd: string, note: (text: string) => void) =>
  Effect.gen(function* () {
    const patienceMillis = Duration.toMillis(proof.patience)
    const options = { seed: "prove", settleAfter: proof.settle_after }
    const sandbox = yield* Effect.mapError(
      SandboxServer.make(options),
      (error) => new Problem({ message: String(error) })
    )
    const variables: Readonly<Record<string, string>> = {
      ...(yield* environment.of(sandbox, undefined)),
      // Not seeded: a store without `reset` still has the orders of earlier runs.
      MANILLA_ORDER: crypto.randomUUID()
    }
    /** Puts the values of variables into a text, such as `{base_url}`. */
    const filledOf =
      (values: Readonly<Record<string, string>>) =>
      (text: unknown): string =>
        String(text).replace(
          /\{(\w+)\}/g,
          (whole, name: string) => values[`MANILLA_${name.toUpperCase()}`] ?? whole
        )
    const filled = filledOf(variables)
    const env = { ...variables, ...Record.map(proof.env, filled) }
    const { command, reset } = proof
    if (reset !== undefined) yield* servers.run({ command: reset, cwd, env })

    const services = yield* Effect.context<CommandExecutor | Scope.Scope>()
    const url = new URL(filled(proof.request.url))
    let server: Server | undefined
    const kill = Effect.suspend(() => server?.kill ?? Effect.void)
    const oneAtOnce = yield* Effect.makeSemaphore(1)
    // A start that is under way leaves no process behind.
    yield* Effect.addFinalizer(() => oneAtOnce.take(1))
    const keepAlive = Effect.gen(function* () {
      if (server !== undefined && (yield* server.isRunning)) return
      if (server !== undefined) note("the server starts again")
      // Its child processes may still run.
      yield* kill
      server = yield* servers.start({ command, cwd, env }, url, patienceMillis)
    }).pipe(oneAtOnce.withPermits(1), Effect.provide(services))

    /** Sends a request to the server, which runs then. Without a response, the status is 0. */
    const send = ({ body, headers, method, url }: Proof["request"], filledIn = filled) =>
      Effect.tryPromise(async (signal) => {
        const isJson = body !== undefined && typeof body !== "string"
        const response = await fetch(filledIn(url), {
          method,
          headers: {
            ...(isJson && { "content-type": "application/json" }),
            ...Record.map(headers, filledIn)
          },
          body: body === undefined ? null : filledIn(isJson ? JSON.stringify(body) : body),
          redirect: "manual",
          signal
        })
        return { status: response.status, text: await response.text() }
      }).pipe(
        Effect.timeout(patienceMillis),
        Effect.orElseSucceed(() => ({ status: 0, text: "" })),
        (sent) => Effect.zipRight(keepAlive, sent)
      )
    const buyer = Effect.map(send(proof.request), ({ status }) => {
      note(`the buyer gets ${status || "no response"}`)
      // The buyer reads an error as “not paid”.
      return status >= 500 || status === 402 ? "not paid" : undefined
    })
    const told = Effect.gen(function* () {
      const { path, url } = proof.told
      const { status, text } = yield* send({ ...proof.told, method: "GET" })
      if (status === 0 || status >= 400) return note(`told answers ${status || "nothing"}`)
      const word = wordIn(proof.told, text)
      if (word !== undefined) return word
      const place = path === undefined ? "" : ` at “${path}”`
      return yield* new Problem({
        message: `“told” (${url}) answered ${text.slice(0, 200)}, which has none of its words${place}. Add the word to paid, not_paid, open or review.`
      })
    })
    const name = "request of the buyer"
    const ofAnother = filledOf({ ...variables, MANILLA_ORDER: crypto.randomUUID() })
    const lives = { [name]: buyer, another: send(proof.request, ofAnother) }
    const start = () => Effect.context<never>()
    return { sandbox, script: [name], lives, other: ["another"], told, start, kill }
  }).pipe(Effect.provide(NodeContext.layer))

const parse = Schema.decodeOption(Schema.parseJson())

const wordIn = (told: Proof["told"], text: string): judge.Told | undefined => {
  const { path } = told
  const value = path && valueAt(Option.getOrUndefined(parse(text)), path)
  const has = (word: unknown) =>
    path === undefined ? text.includes(String(word)) : String(value) === String(word)
  const words = { ...told, "not paid": told.not_paid }
  return (["paid", "not paid", "review", "open"] as const).find((word) => words[word]?.some(has))
}
