/** Requests as they are on the wire: the probe learns from statuses, bodies and times that the clients hide. */
import * as HttpBody from "@effect/platform/HttpBody"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as BearerTokens from "@manilla/core/BearerTokens"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { type Failure, failed } from "../failure.js"
import * as fields from "../fields.js"
import { text } from "../output.js"

export interface HttpRequest {
  readonly method: "GET" | "POST"
  /** The path with its query, below the base URL. */
  readonly path: string
  readonly key?: string
  readonly body?: unknown
  /** A token in place of the real one. */
  readonly token?: string
}

export interface Answer {
  readonly status: number
  readonly data: unknown
  readonly retryAfter: string | undefined
}

export type Send = (request: HttpRequest) => Effect.Effect<Answer, Failure>

const json = Option.liftThrowable((body: string): unknown => JSON.parse(body))

/** Sends each request once. */
export const make = (baseUrl: string, { value }: BearerTokens.BearerToken) =>
  Effect.map(
    HttpClient.HttpClient,
    (client): Send =>
      ({ body, key, method, path, token = Redacted.value(value) }) => {
        const request = HttpClientRequest.make(method)(`${baseUrl.replace(/\/$/, "")}${path}`, {
          acceptJson: true,
          headers: { authorization: `Bearer ${token}`, "idempotency-key": key },
          ...(body === undefined ? {} : { body: HttpBody.unsafeJson(body) })
        })
        return Effect.gen(function* () {
          const response = yield* client.execute(request)
          const whole = Option.getOrUndefined(json(yield* response.text))
          return {
            status: response.status,
            data: fields.valueIn(whole, ["data"]),
            retryAfter: response.headers["retry-after"]
          }
        }).pipe(
          Effect.timeout("30 seconds"),
          Effect.mapError(() => failed(`${method} ${path} has no response. Run the probe again.`))
        )
      }
  )

export const isSuccess = ({ status }: Answer): boolean => status >= 200 && status < 300

export const member = ({ data }: Answer, ...path: ReadonlyArray<string>): unknown =>
  fields.valueIn(data, path)

const codeLength = 60

/** Such as `422 VALIDATION_FAILED`. A message may repeat personal data, and is left out. */
export const shown = (answer: Answer): string => {
  const code = member(answer, "error", "code")
  return `${answer.status}${code === undefined ? "" : ` ${text(code).slice(0, codeLength)}`}`
}

/** The rows of a page. */
export const rowsIn = ({ data }: Answer): ReadonlyArray<unknown> => fields.listIn(data, ["data"])
