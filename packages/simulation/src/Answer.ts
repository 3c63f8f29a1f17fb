/**
 * An answer of the service, or of a proxy, and how its body reaches the client.
 */
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Channel from "effect/Channel"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Chance } from "./Chance.js"

export interface Answer {
  readonly status: number
  readonly body: string | Uint8Array
  readonly headers: Readonly<Record<string, string>>
}

/** What becomes of a body whose status has arrived. */
export type Ending = "whole" | "breaks off" | "stalls"

/** `Effect.never` keeps a timer of the real clock, and so the program, for as long as it is waited for. */
export const silence = Effect.async<never>(() => {})

export const responseOf = (
  request: HttpClientRequest.HttpClientRequest,
  { body, headers, status }: Answer,
  ending: Ending,
  chance: Chance
): HttpClientResponse.HttpClientResponse => {
  const bytes = typeof body === "string" ? encoder.encode(body) : body
  const response: HttpClientResponse.HttpClientResponse = Object.create(blank, {
    request: { value: request },
    status: { value: status },
    headers: { value: headers },
    stream: { get: () => Stream.fromChannel(bodyOf()) },
    arrayBuffer: {
      get: () => Effect.map(Stream.runCollect(response.stream), (pieces) => gathered(pieces))
    }
  })
  const bodyOf = (): Body => {
    switch (ending) {
      case "whole":
        return inPieces(bytes, chance)
      case "breaks off":
        return Channel.zipRight(
          inPieces(bytes.subarray(0, bytes.length / 2), chance),
          Channel.fail(new HttpClientError.ResponseError({ request, response, reason: "Decode" }))
        )
      case "stalls":
        return Channel.zipRight(
          inPieces(bytes.subarray(0, bytes.length / 2), chance),
          Channel.fromEffect(silence)
        )
    }
  }
  return response
}

const gathered = (pieces: Chunk.Chunk<Uint8Array>): ArrayBuffer =>
  Uint8Array.from(Chunk.toReadonlyArray(pieces).flatMap((piece) => Array.from(piece))).buffer

/** Its status and its body are its own; all else comes from here, made once. */
const blank = HttpClientResponse.fromWeb(
  HttpClientRequest.get("https://sandbox.localhost"),
  new Response()
)

const encoder = new TextEncoder()

type Body = Channel.Channel<
  Chunk.Chunk<Uint8Array>,
  unknown,
  HttpClientError.ResponseError,
  unknown,
  unknown,
  unknown
>

/** One to three pieces, cut wherever it happens: within a character, too. */
const inPieces = (bytes: Uint8Array, chance: Chance): Body => {
  const write = (from: number, to: number): Body =>
    Channel.write(Chunk.of(bytes.subarray(from, to)))
  const second = chance.between(0, bytes.length)
  const first = chance.between(0, second)
  switch (chance.between(1, 3)) {
    case 1:
      return write(0, bytes.length)
    case 2:
      return Channel.zipRight(write(0, first), write(first, bytes.length))
    default:
      return write(0, first).pipe(
        Channel.zipRight(write(first, second)),
        Channel.zipRight(write(second, bytes.length))
      )
  }
}

/** A read that is behind does not know of what was just made. */
export const notFound: Pick<Answer, "body" | "status"> = {
  status: 404,
  body: JSON.stringify({
    success: false,
    data: { error: { code: "NOT_FOUND", message: "Not found" } },
    meta: {}
  })
}

/** A success that does not fit its schema, whatever it is about. */
export const withoutStatus = (answer: Answer): Answer =>
  answer.status < 300
    ? {
        ...answer,
        body: JSON.stringify(JSON.parse(String(answer.body)), (name, value: unknown) =>
          name === "status" ? undefined : value
        )
      }
    : answer

export const readSuccess = Schema.decodeUnknownOption(
  Schema.parseJson(Schema.Struct({ success: Schema.Literal(true), data: Schema.Unknown }))
)
