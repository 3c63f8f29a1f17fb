import { assert, describe, it } from "@effect/vitest"
import * as Policy from "@manilla/workflows/Policy"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"

const { carryOn, look, wait } = Policy.defaults

const made = (policy?: Partial<Policy.Policy>) =>
  Effect.runSync(Effect.either(Effect.provide(Policy.Current, Policy.layer(policy))))

/** The invalid fields of a policy, which may come from JavaScript. */
const fieldsOf = (policy: unknown) =>
  Either.match(made(policy as Partial<Policy.Policy>), {
    onLeft: ({ issues }) => issues.map(({ field }) => field),
    onRight: () => []
  })

describe("a policy", () => {
  it("has the default for a part that is left out", () => {
    assert.deepStrictEqual(made(), Either.right(Policy.defaults))
    assert.deepStrictEqual(
      made({ wait: { ...wait, deadline: "1 hour" } }),
      Either.right({ carryOn, look, wait: { ...wait, deadline: "1 hour" } })
    )
  })

  it.each([
    [{ carryOn: { ...carryOn, factor: NaN } }, "carryOn.factor"],
    [{ carryOn: { ...carryOn, factor: Infinity } }, "carryOn.factor"],
    [{ carryOn: { ...carryOn, factor: 1 } }, "carryOn.factor"],
    [{ carryOn: { ...carryOn, factor: "2" } }, "carryOn.factor"],
    [{ carryOn: { ...carryOn, initial: -5 } }, "carryOn.initial"],
    [{ carryOn: { ...carryOn, initial: 0 } }, "carryOn.initial"],
    [{ carryOn: { ...carryOn, initial: NaN } }, "carryOn.initial"],
    [{ carryOn: { ...carryOn, initial: "-5 seconds" } }, "carryOn.initial"],
    [{ carryOn: { ...carryOn, initial: "soon" } }, "carryOn.initial"],
    [{ carryOn: { initial: "5 seconds", factor: 2 } }, "carryOn.deadline"],
    [{ wait: { ...wait, deadline: Infinity } }, "wait.deadline"],
    [{ wait: { ...wait, deadline: "Infinity" } }, "wait.deadline"],
    [{ wait: null }, "wait"],
    [{ look: { ...look, factor: 0.5 } }, "look.factor"],
    [{ look: { ...look, cap: Infinity } }, "look.cap"]
  ])("%j breaks the rule of %s", (policy, field) => {
    assert.deepStrictEqual(fieldsOf(policy), [field])
  })

  it("names each field, its rule and the remedy", () => {
    const error = Either.flip(made({ wait: { initial: 0, factor: 1, deadline: Infinity } })).pipe(
      Either.getOrThrow
    )
    assert.strictEqual(
      error.message,
      "the policy of a workflow is invalid: " +
        'wait.initial must be a finite duration of at least 1 millisecond, such as "30 seconds"; ' +
        "wait.factor must be a finite number of at least 1.1; " +
        'wait.deadline must be a finite duration of at least 1 millisecond, such as "30 seconds". ' +
        "A part that is left out has its default."
    )
  })
})
