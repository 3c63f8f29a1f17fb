import type * as AvailableService from "@manilla/catalogue/AvailableService"
import type * as Catalogue from "@manilla/catalogue/Catalogue"
import type * as Errors from "@manilla/core/Errors"
import type * as Effect from "effect/Effect"
import { describe, expect, test } from "tstyche"

declare const catalogue: Catalogue.Service

describe("the catalogue", () => {
  test("fails as a read does", () => {
    expect(catalogue.list()).type.toBe<
      Effect.Effect<AvailableService.ServiceList, Errors.ReadError>
    >()
    expect(catalogue.available({})).type.toBe<
      Effect.Effect<ReadonlyArray<AvailableService.AvailableService>, Errors.ReadError>
    >()
  })
})
