/**
 * A server in any language and in real time: its buyer, its deaths, and what it says.
 */
import type { CommandExecutor } from "@effect/platform/CommandExecutor"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type * as Sandbox from "../../Sandbox.js"
import * as SandboxServer from "../../SandboxServer.js"
import type { Proof } from "../command/proof.js"
import { valueAt } from "../faults/queue.js"
import { Interceptor } from "../http/incoming.js"
import type * as judge from "./judge.js"
import * as servers from "./server.js"
import { Problem } from "./trial.js"
import type { Watch } from "./trial.js"

/** The pause between two questions. */
const pause = Effect.sleep("100 millis")

/** The subject of one run. */
export const make = (proof: Proof, cwd: string, { intercept, isStorm, note }: Watch) =>
  Effect.gen(function* () {
    const { unsafeCurrentTimeMillis: nowMillis } = yield* Effect.clock
    const patienceMillis = Duration.toMillis(proof.patience)
    const sandbox = yield* SandboxServer.make({
      seed: "prove",
      settleAfter: proof.settle_after
    }).pipe(
      Effect.provideService(Interceptor, intercept),
      Effect.withRandom(Random.make("service")),
      Effect.mapError((error) => new Problem({ message: String(error) }))
    )
    const values = yield* valuesOf(sandbox)
    const filled = (text: unknown) =>
      String(text).replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)
    const env = {
      ...Record.mapKeys(values, (name) => `MANILLA_${name.toUpperCase()}`),
      ...Record.map(proof.env, filled)
    }
    const { command, reset } = proof
    if (reset !== undefined) yield* servers.run({ command: reset, cwd, env })
    const url = new URL(filled(proof.request.url))
    const starting = servers.start({ command, cwd, env }, url, patienceMillis)
    const begin = Effect.provide(starting, yield* Effect.context<CommandExecutor | Scope.Scope>())
    let server = yield* begin
    const keepAlive = Effect.gen(function* () {
      if (yield* server.isRunning) return
      note("the server starts again")
      // Its child processes may still run.
      yield* server.kill
      server = yield* begin
    })

    /** Sends a request. Without a response, the status is 0. */
    const answer = ({ body, headers, method, url }: Proof["request"]) =>
      Effect.tryPromise(async (signal) => {
        const isJson = body !== undefined && typeof body !== "string"
        const response = await fetch(filled(url), {
          method,
          headers: { ...(isJson && { "content-type": "application/json" }), ...headers },
          body: body === undefined ? null : filled(isJson ? JSON.stringify(body) : body),
          redirect: "manual",
          signal
        })
        return { status: response.status, text: await response.text() }
      }).pipe(
        Effect.timeout(patienceMillis),
        Effect.orElseSucceed(() => ({ status: 0, text: "" }))
      )
    /** The requests of the buyer. */
    let sent: Array<Fiber.Fiber<{ readonly status: number }>> = []
    const send = () => void sent.push(Effect.runFork(answer(proof.request)))
    const storm = Effect.as(Effect.repeat(pause, { until: isStorm }), { status: 0 })
    const live = (_: string, isTwice: boolean) =>
      Effect.gen(function* () {
        sent = []
        send()
        if (isTwice) send()
        const words: Array<judge.Told> = []
        // A fault may send one more.
        for (const request of sent) {
          const { status } = yield* Effect.raceFirst(Fiber.join(request), storm)
          note(`the buyer gets ${status || "no response"}`)
          // The buyer reads an error as “not paid”.
          if (status >= 500 || status === 402) words.push("not paid")
        }
        yield* keepAlive
        return words
      })
    const told = Effect.gen(function* () {
      yield* keepAlive
      const { path, url } = proof.told
      const { status, text } = yield* answer({ ...proof.told, method: "GET" })
      if (status === 0 || status >= 400) return note(`told answers ${status || "nothing"}`)
      const word = wordIn(proof.told, text)
      if (word !== undefined) return word
      const place = path === undefined ? "" : ` at “${path}”`
      return yield* new Problem({
        message: `“told” (${url}) answered ${text.slice(0, 200)}, which has none of its words${place}. Add the word to paid, not_paid, open or review.`
      })
    })
    const untilMillis = nowMillis() + patienceMillis
    return {
      sandbox,
      script: ["request of the buyer"],
      live,
      told,
      /** Until the state is final, and at least until a new payment is settled and a fault is over. */
      pass: (round: number, ask: Effect.Effect<judge.Told, Problem>) =>
        Effect.suspend(() => {
          const until = nowMillis() + Math.min(1000 * 2 ** round, 8000)
          const isOpen = (word: judge.Told) => word === "open" && nowMillis() < until
          return Effect.zipRight(pause, ask).pipe(Effect.repeat({ while: isOpen }))
        }),
      isOver: () => nowMillis() > untilMillis,
      die: Effect.suspend(() => {
        note("the server is killed", "bad")
        return server.kill
      }),
      again: send
    }
  })

/** The values that the file and the environment of the server may name. */
const valuesOf = (sandbox: Sandbox.Service) =>
  Effect.gen(function* () {
    const { client_id, client_secret } = yield* sandbox.credentials
    const [wallet] = yield* sandbox.wallets
    const values: Readonly<Record<string, string>> = {
      base_url: sandbox.baseUrl,
      auth_url: sandbox.authUrl,
      client_id,
      client_secret: Redacted.value(client_secret),
      environment: "SANDBOX",
      wallet_id: wallet?.id ?? "",
      // Not seeded: a store without `reset` still has the orders of earlier runs.
      order: crypto.randomUUID()
    }
    return values
  })

const parse = Schema.decodeOption(Schema.parseJson())

const wordIn = (told: Proof["told"], text: string): judge.Told | undefined => {
  const { path } = told
  const value = path && valueAt(Option.getOrUndefined(parse(text)), path)
  const has = (word: unknown) =>
    path === undefined ? text.includes(String(word)) : String(value) === String(word)
  const words = { ...told, "not paid": told.not_paid }
  return (["paid", "not paid", "review", "open"] as const).find((word) => words[word]?.some(has))
}
