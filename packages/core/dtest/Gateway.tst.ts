import type * as HttpClient from "@effect/platform/HttpClient"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import type * as BearerTokens from "@manilla/core/BearerTokens"
import * as Envelope from "@manilla/core/Envelope"
import type * as Errors from "@manilla/core/Errors"
import * as Gateway from "@manilla/core/Gateway"
import * as Operation from "@manilla/core/Operation"
import type * as ConfigError from "effect/ConfigError"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { describe, expect, test } from "tstyche"

declare const gateway: Gateway.Service

const Thing = Envelope.Success(Schema.Struct({ id: Schema.String }))
const endpoint = HttpApiEndpoint.post("make", "/things").addSuccess(Thing)

describe("the calls of a group", () => {
  test("fail by their replay class", () => {
    const { keyed, once, read } = gateway.calls(
      HttpApiGroup.make("Things")
        .add(Operation.safe(HttpApiEndpoint.get("read", "/").addSuccess(Thing), "bearer"))
        .add(Operation.once(HttpApiEndpoint.post("once", "/").addSuccess(Thing), "bearer"))
        .add(
          Operation.keyed(HttpApiEndpoint.post("keyed", "/").addSuccess(Thing), "bearer", {
            in: "header",
            name: "idempotency-key"
          })
        )
    )
    expect(read({})).type.toBe<Effect.Effect<typeof Thing.Type, Errors.ReadError>>()
    expect(once({})).type.toBe<Effect.Effect<typeof Thing.Type, Errors.WriteError>>()
    expect(keyed({})).type.toBe<Effect.Effect<typeof Thing.Type, Errors.KeyedWriteError>>()
  })

  test("are compiled of declared operations only", () => {
    expect(gateway.calls).type.toBeCallableWith(
      HttpApiGroup.make("Things").add(Operation.once(endpoint, "bearer"))
    )
    expect(gateway.calls).type.not.toBeCallableWith(HttpApiGroup.make("Things").add(endpoint))
  })
})

describe("the layers", () => {
  test("need tokens and a client, and fail with what is wrong with their options", () => {
    expect(Gateway.layer({ baseUrl: "https://host.invalid" })).type.toBe<
      Layer.Layer<
        Gateway.Gateway,
        Errors.InvalidConfiguration,
        BearerTokens.BearerTokens | HttpClient.HttpClient
      >
    >()
    expect(Gateway.layerConfig()).type.toBe<
      Layer.Layer<
        Gateway.Gateway,
        ConfigError.ConfigError | Errors.InvalidConfiguration,
        BearerTokens.BearerTokens | HttpClient.HttpClient
      >
    >()
  })
})
