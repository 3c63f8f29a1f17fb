/** The service that a command uses, by the `MANILLA_...` settings. */
import * as Prompt from "@effect/cli/Prompt"
import * as BearerTokens from "@manilla/core/BearerTokens"
import type { ConfigurationError } from "@manilla/core/Errors"
import * as Gateway from "@manilla/core/Gateway"
import * as Manilla from "@manilla/token/Manilla"
import * as Token from "@manilla/token/Token"
import * as ConfigError from "effect/ConfigError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { failed, ofCall, usage } from "./Failure.js"
import { flag } from "./output.js"

/** Each setting that is missing or wrong. */
export const settingIssues = (error: ConfigError.ConfigError): ReadonlyArray<string> => {
  switch (error._op) {
    case "And":
    case "Or":
      return [...settingIssues(error.left), ...settingIssues(error.right)]
    case "MissingData":
      return [`${error.path.join(".")} is not set`]
    default:
      return [`${error.path.join(".")} ${error.message}`]
  }
}

/** The failure of settings that are missing or wrong. */
export const settingFailure = (error: ConfigError.ConfigError | ConfigurationError) =>
  usage(
    ConfigError.isConfigError(error)
      ? `${settingIssues(error).join("; ")}. \`manilla doctor\` explains the settings.`
      : error.message
  )

/** The client, and the network below it. */
const network = Layer.unwrapEffect(
  Effect.map(
    Effect.promise(() => import("./network.js")),
    ({ client, layer }) => Layer.provideMerge(client, layer)
  )
)

/** A gateway with its tokens. Nothing is sent before the first call. */
export const live = Layer.unwrapEffect(
  Effect.map(Manilla.config, ({ gateway, token }) =>
    Layer.provideMerge(Gateway.layer(gateway), Token.layer(token))
  )
).pipe(Layer.provideMerge(network), Layer.mapError(settingFailure))

/** How long a command waits for its first token. */
const tokenMillis = 60_000

export const bearer = Effect.flatMap(BearerTokens.BearerTokens, ({ get }) => get(tokenMillis))

export const token = Effect.mapError(bearer, ofCall)

export const yes = flag("yes", "do not ask before anything is made")

/** The words of a question. */
export interface Dialogue {
  /** The answers, such as `(y/N)`. */
  readonly confirm: string
  readonly isYes: RegExp
  readonly unanswered: (message: string, option: string) => string
  readonly stopped: string
}

export const english: Dialogue = {
  confirm: "(y/N)",
  isYes: /^(y|yes)$/i,
  unanswered: (message, option) =>
    `${message} This needs an answer: add ${option}, or run it in a terminal.`,
  stopped: "Stopped. This command sent nothing."
}

/** Asks a person. Without a terminal, only the option answers. */
export const ask = (message: string, option = "--yes", dialogue = english) =>
  Effect.gen(function* () {
    if (!process.stdin.isTTY) return yield* usage(dialogue.unanswered(message, option))
    const prompt = Prompt.text({ message: `${message} ${dialogue.confirm}` })
    const answer = yield* Effect.orElseSucceed(Prompt.run(prompt), () => "")
    if (!dialogue.isYes.test(answer.trim())) return yield* failed(dialogue.stopped)
  })

/** Asks before money moves, unless the environment is SANDBOX. */
export const askIfLive = (what: string, isAnswered: boolean) =>
  Effect.gen(function* () {
    const { environment } = yield* token
    if (environment === "SANDBOX" || isAnswered) return
    yield* ask(`${what} in the environment ${environment}, where money is real?`)
  })
