/**
 * A response of the service or a proxy, and how its body reaches the client.
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

export interface ServerResponse {
  readonly status: number
  readonly body: string | Uint8Array
  readonly headers: Readonly<Record<string, string>>
}

/** How the body ends after the status line has arrived. */
export type Ending = "whole" | "breaks off" | "stalls"

/** Unlike `Effect.never`, this starts no timer, so it does not keep the program alive. */
export const silence = Effect.async<never>(() => {})

export const responseOf = (
  request: HttpClientRequest.HttpClientRequest,
  { body, headers, status }: ServerResponse,
  ending: Ending,
  chance: Chance
): HttpClientResponse.HttpClientResponse => {
  const bytes = typeof body === "string" ? encoder.encode(body) : body
  const response: HttpClientResponse.HttpClientResponse = Object.create(prototype, {
    request: { value: request },
    status: { value: status },
    headers: { value: headers },
    stream: { get: () => Stream.fromChannel(bodyOf()) },
    arrayBuffer: {
      get: () => Effect.map(Stream.runCollect(response.stream), (chunks) => concat(chunks))
    }
  })
  const bodyOf = (): Body => {
    switch (ending) {
      case "whole":
        return inChunks(bytes, chance)
      case "breaks off":
        return Channel.zipRight(
          inChunks(bytes.subarray(0, bytes.length / 2), chance),
          Channel.fail(new HttpClientError.ResponseError({ request, response, reason: "Decode" }))
        )
      case "stalls":
        return Channel.zipRight(
          inChunks(bytes.subarray(0, bytes.length / 2), chance),
          Channel.fromEffect(silence)
        )
    }
  }
  return response
}

const concat = (chunks: Chunk.Chunk<Uint8Array>): ArrayBuffer =>
  Uint8Array.from(Chunk.toReadonlyArray(chunks).flatMap((chunk) => Array.from(chunk))).buffer

/** Every response inherits from this one, which is made once, and overrides its status and body. */
const prototype = HttpClientResponse.fromWeb(
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

/** One to three chunks, split anywhere, even within a character. */
const inChunks = (bytes: Uint8Array, chance: Chance): Body => {
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

/** The response of a stale replica to a read of a new resource. */
export const notFound: Pick<ServerResponse, "body" | "status"> = {
  status: 404,
  body: JSON.stringify({
    success: false,
    data: { error: { code: "NOT_FOUND", message: "Not found" } },
    meta: {}
  })
}

/** Removes every `status` member, so that a success does not match its schema. */
export const withoutStatus = (response: ServerResponse): ServerResponse =>
  response.status < 300
    ? {
        ...response,
        body: JSON.stringify(JSON.parse(String(response.body)), (name, value: unknown) =>
          name === "status" ? undefined : value
        )
      }
    : response

export const readSuccess = Schema.decodeUnknownOption(
  Schema.parseJson(Schema.Struct({ success: Schema.Literal(true), data: Schema.Unknown }))
)
