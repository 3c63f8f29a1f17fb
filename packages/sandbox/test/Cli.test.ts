import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import * as cli from "../src/internal/command/cli.js"

describe("the arguments of manilla-sandbox", () => {
  const serve = (args: ReadonlyArray<string>) => {
    const parsed = Either.getOrThrow(cli.parse(args))
    return parsed._tag === "Serve" ? parsed : assert.fail("no server")
  }

  it("have defaults", () => {
    const { quiet, server } = serve([])
    assert.isFalse(quiet)
    const { clientSecret, settleAfter, ...rest } = server
    assert.deepStrictEqual(rest, {
      port: 4010,
      authPort: 4011,
      host: "127.0.0.1",
      allowHosts: [],
      clientId: cli.developmentCredentials.clientId,
      lenient: false,
      seed: undefined
    })
    assert.strictEqual(
      clientSecret && Redacted.value(clientSecret),
      cli.developmentCredentials.clientSecret
    )
    assert.strictEqual(Duration.toMillis(settleAfter ?? 0), 2000)
  })

  it("set every option", () => {
    const { quiet, server } = serve(
      "--port 0 --auth-port=8080 --host 0.0.0.0 --control --allow-host a --allow-host b.test --seed 12 --quiet"
        .split(" ")
        .concat("--settle-after", "1 minute")
    )
    assert.isTrue(quiet)
    assert.deepInclude(server, { port: 0, authPort: 8080, host: "0.0.0.0" })
    assert.isTrue(server.control)
    assert.deepStrictEqual(server.allowHosts, ["a", "b.test"])
    assert.strictEqual(Duration.toMillis(server.settleAfter ?? 0), 60_000)
    assert.strictEqual(server.seed, 12)
    const profile = `{"other_body":409,"in_flight":"wait","failures":"replay","retention_seconds":86400}`
    const { idempotency, lenient } = serve(["--lenient", "--idempotency", profile]).server
    assert.isTrue(lenient)
    assert.deepStrictEqual(idempotency, {
      other_body: 409,
      in_flight: "wait",
      failures: "replay",
      retention_seconds: 86_400
    })
    assert.strictEqual(serve(["--seed", "a word"]).server.seed, "a word")
  })

  it("can request help, or the version", () => {
    assert.deepStrictEqual(cli.parse(["--help"]), Either.right({ _tag: "Help" }))
    assert.deepStrictEqual(cli.parse(["--version"]), Either.right({ _tag: "Version" }))
  })

  it.each([
    ["--prot", "There is no option --prot. Did you mean --port?"],
    ["--settleafter", "There is no option --settleafter. Did you mean --settle-after?"],
    ["--anything", "There is no option --anything. --help lists all."],
    ["-x", "There is no option -x. --help lists all."]
  ])("name the option that was meant instead of %s", (option, message) => {
    assert.deepStrictEqual(cli.parse([option]), Either.left(new cli.UsageError({ message })))
  })

  for (const args of [
    ["--port", "70000"],
    ["--port", "0x1"],
    ["--port", "-1"],
    ["--port", ""],
    ["--auth-port"],
    ["--settle-after", "soon"],
    ["--settle-after", "Infinity"],
    ["--client-id", ""],
    ["--client-secret="],
    ["--host", ""],
    ["--allow-host", ""],
    ["--allow-host", "http://sandbox"],
    ["--allow-host", "sandbox:4010"],
    ["--allow-host", "*.test"],
    ["--idempotency", `{"other_body":200}`],
    ["--idempotency", `{"body":409}`],
    ["--idempotency", `{"retention_seconds":"soon"}`],
    ["--idempotency", "other_body=409"],
    ["4010"]
  ]) {
    it(`are refused: ${args.join(" ")}`, () => {
      const parsed = cli.parse(args)
      const message = Either.isLeft(parsed) ? parsed.left.message : assert.fail("accepted")
      assert.include(message, args[0]?.replace(/=$/, "") ?? "")
    })
  }
})
