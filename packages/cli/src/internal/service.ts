/** The service that a command uses, by the `MANILLA_...` settings. */
import * as BearerTokens from "@manilla/core/BearerTokens"
import type * as Errors from "@manilla/core/Errors"
import * as Gateway from "@manilla/core/Gateway"
import * as Manilla from "@manilla/token/Manilla"
import * as Token from "@manilla/token/Token"
import * as ConfigError from "effect/ConfigError"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { createInterface } from "node:readline"
import { failed, usage } from "./failure.js"
import { flag } from "./output.js"

/** The sentences of all commands. */
export const english = {
  /** The answers to a question. */
  confirm: "(y/N)",
  isYes: /^(y|yes)$/i,
  unanswered: (message: string, option: string) =>
    `${message} This needs an answer: add ${option}, or run it in a terminal.`,
  stopped: "Stopped. This command sent nothing.",
  notSet: (setting: string) => `${setting} is not set`,
  wrong: (setting: string, rule: string) => `${setting} ${rule}`,
  explained: "`manilla doctor` explains the settings.",
  failure: ({ message }: Errors.ReadError) => message
}

export type Dialogue = typeof english

/** Each setting that is missing or wrong. */
export const settingIssues = (
  error: ConfigError.ConfigError,
  dialogue = english
): ReadonlyArray<string> => {
  switch (error._op) {
    case "And":
    case "Or":
      return [error.left, error.right].flatMap((one) => settingIssues(one, dialogue))
    case "MissingData":
      return [dialogue.notSet(error.path.join("."))]
    default:
      return [dialogue.wrong(error.path.join("."), error.message)]
  }
}

/** The failure of settings that are missing or wrong. */
export const settingFailure = (
  error: ConfigError.ConfigError | Errors.ConfigurationError,
  dialogue = english
) =>
  usage(
    ConfigError.isConfigError(error)
      ? `${settingIssues(error, dialogue).join("; ")}. ${dialogue.explained}`
      : error.message
  )

const network = Layer.unwrapEffect(
  Effect.map(
    Effect.promise(() => import("./network.js")),
    ({ layer }) => layer
  )
)

/** A gateway with its tokens. Nothing is sent before the first call. */
export const liveIn = (dialogue: Dialogue) =>
  Layer.unwrapEffect(
    Effect.map(Manilla.config, ({ gateway, token }) =>
      Layer.provideMerge(Gateway.layer(gateway), Token.layer(token))
    )
  ).pipe(
    Layer.provideMerge(network),
    Layer.mapError((error) => settingFailure(error, dialogue))
  )

export const live = liveIn(english)

/** How long a command waits for its first token. */
const tokenMillis = 60_000

export const bearer = Effect.flatMap(BearerTokens.BearerTokens, ({ get }) => get(tokenMillis))

export const tokenIn = ({ failure }: Dialogue) =>
  Effect.mapError(bearer, (error) => failed(failure(error)))

export const token = tokenIn(english)

export const yes = flag("yes", "do not ask before anything is made")

/** Says that the command, which is interrupted, has sent nothing. */
export const sayingStopped = (dialogue = english) =>
  Effect.onInterrupt(() => Console.error(dialogue.stopped))

/**
 * The next line that a person writes; none at the end of the input. The terminal stays as it is: in its raw mode, which a
 * prompt needs, Ctrl-C right after an answer would be a character that nobody reads.
 */
const nextLine = Effect.async<string>((resume) => {
  const lines = createInterface({ input: process.stdin, terminal: false })
  lines.once("line", (line) => {
    resume(Effect.succeed(line))
    lines.close()
  })
  lines.once("close", () => resume(Effect.succeed("")))
  return Effect.sync(() => lines.close())
})

/** Asks a person. Without a terminal, only the option answers. */
export const ask = (message: string, option = "--yes", dialogue = english) =>
  Effect.gen(function* () {
    if (!process.stdin.isTTY) return yield* usage(dialogue.unanswered(message, option))
    process.stderr.write(`${message} ${dialogue.confirm} `)
    const answer = yield* nextLine
    if (!dialogue.isYes.test(answer.trim())) return yield* failed(dialogue.stopped)
  })

/** Asks before money moves, unless the environment is SANDBOX. */
export const askIfLive = (what: string, isAnswered: boolean) =>
  Effect.gen(function* () {
    const { environment } = yield* token
    if (environment === "SANDBOX" || isAnswered) return
    yield* ask(`${what} in the environment ${environment}, where money is real?`)
  }).pipe(sayingStopped())
