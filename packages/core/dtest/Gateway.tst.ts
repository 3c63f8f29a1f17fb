import type * as HttpClient from "@effect/platform/HttpClient"
import type * as BearerTokens from "@manilla/core/BearerTokens"
import type * as Errors from "@manilla/core/Errors"
import * as Gateway from "@manilla/core/Gateway"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Operation from "@manilla/core/Operation"
import type * as ConfigError from "effect/ConfigError"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { describe, expect, test } from "tstyche"

declare const gateway: Gateway.Service
declare const key: IdempotencyKey.IdempotencyKey

const Thing = Schema.Struct({ id: Schema.String })

const wire = {
  method: "POST",
  path: "/things",
  summary: "Make a thing",
  access: "bearer",
  success: Thing
} as const
const checks = { members: [] } as const

const group = Operation.group("Things", {
  read: Operation.safe({ ...wire, method: "GET" }),
  once: Operation.once({ ...wire, checks }),
  keyed: Operation.keyed({
    ...wire,
    checks,
    headers: Schema.Struct({ "idempotency-key": IdempotencyKey.IdempotencyKey }),
    key: { header: "idempotency-key" }
  })
})

describe("the calls of a group", () => {
  const calls = gateway.calls(group)

  test("have the names of its operations", () => {
    expect<keyof typeof calls>().type.toBe<"read" | "once" | "keyed">()
  })

  test("give the data of the answer, and fail by their replay class", () => {
    const headers = { "idempotency-key": key }
    expect(calls.read({})).type.toBe<Effect.Effect<typeof Thing.Type, Errors.ReadError>>()
    expect(calls.once({})).type.toBe<Effect.Effect<typeof Thing.Type, Errors.WriteError>>()
    expect(calls.keyed({ headers })).type.toBe<
      Effect.Effect<typeof Thing.Type, Errors.KeyedWriteError>
    >()
  })

  test("take the key of a write that has one", () => {
    expect(calls.keyed).type.not.toBeCallableWith({})
    expect(calls.keyed).type.not.toBeCallableWith({ headers: {} })
    expect(calls.keyed).type.not.toBeCallableWith({ headers: { "idempotency-key": "order-42" } })
  })

  test("take a timeout and changes to the retry policy", () => {
    expect(calls.read).type.toBeCallableWith({}, { timeout: "5 seconds", retry: { attempts: 1 } })
    expect(calls.read).type.not.toBeCallableWith({}, { timeout: "5 parsecs" })
    expect(calls.read).type.not.toBeCallableWith({}, { retry: { budget: 1 } })
    expect(calls.read).type.not.toBeCallableWith({}, { retry: { deadline: "5 seconds" } })
  })

  test("are compiled of declared operations only", () => {
    expect(gateway.calls).type.toBeCallableWith(group)
    expect(gateway.calls).type.not.toBeCallableWith({ name: "Things", operations: { wire } })
  })
})

describe("the layers", () => {
  test("need tokens and a client, and fail with what is wrong with their options", () => {
    expect(Gateway.layer({ baseUrl: "https://host.invalid" })).type.toBe<
      Layer.Layer<
        Gateway.Gateway,
        Errors.ConfigurationError,
        BearerTokens.BearerTokens | HttpClient.HttpClient
      >
    >()
    expect(Gateway.layerConfig()).type.toBe<
      Layer.Layer<
        Gateway.Gateway,
        ConfigError.ConfigError | Errors.ConfigurationError,
        BearerTokens.BearerTokens | HttpClient.HttpClient
      >
    >()
  })
})
