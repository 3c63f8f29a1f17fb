/**
 * The HTTP clients that the gateway runs over, by name.
 */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as FetchClient from "@manilla/core/FetchClient"
import * as UndiciClient from "@manilla/core/UndiciClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Record from "effect/Record"

/** The header that the derived client adds. */
export const header = { name: "x-app", value: "shop" } as const

/** An application's own client, made from another. */
export const derived = (
  client: Layer.Layer<HttpClient.HttpClient>
): Layer.Layer<HttpClient.HttpClient> =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.map(
      HttpClient.HttpClient,
      HttpClient.mapRequest(HttpClientRequest.setHeader(header.name, header.value))
    )
  ).pipe(Layer.provide(client))

const undici = Layer.orDie(UndiciClient.layer)

export const layers = {
  UndiciClient: undici,
  "a client derived from UndiciClient": derived(undici),
  "Effect's undici": NodeHttpClient.layerUndici,
  fetch: FetchHttpClient.layer,
  FetchClient: FetchClient.layer,
  "node:http": NodeHttpClient.layer
} as const

export type Name = keyof typeof layers

/** Whether a client uses `fetch`, which decompresses bodies, and retries after a 421. */
export const isFetch = (name: string): boolean => name === "fetch" || name === "FetchClient"

export const names: ReadonlyArray<Name> = Record.keys(layers)
