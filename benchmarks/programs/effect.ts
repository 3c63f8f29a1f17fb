// A program that already uses Effect and its HTTP client over fetch.
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"

export const status = (url: string): Promise<number> =>
  HttpClient.get(url).pipe(
    Effect.map((response) => response.status),
    Effect.scoped,
    Effect.provide(FetchHttpClient.layer),
    Effect.runPromise
  )
