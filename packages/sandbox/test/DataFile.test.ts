import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { assert, describe, it, vi } from "@effect/vitest"
import * as IdempotencyKey from "@manilla/core/IdempotencyKey"
import * as Payments from "@manilla/payments/Payments"
import * as Fault from "@manilla/sandbox/Fault"
import * as Sandbox from "@manilla/sandbox/Sandbox"
import * as SandboxServer from "@manilla/sandbox/SandboxServer"
import { collection, overGateway } from "@manilla/test-support/Sandboxed"
import type { Steps } from "@manilla/test-support/Steps"
import * as Test from "@manilla/test-support/Test"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { execFileSync } from "node:child_process"
import { once } from "node:events"
import {
  appendFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { open as openFile } from "node:fs/promises"
import type { FileHandle } from "node:fs/promises"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as app from "../src/internal/app.js"
import * as emulation from "../src/internal/emulation.js"
import * as dataFile from "../src/internal/store/dataFile.js"
import * as lock from "../src/internal/store/lock.js"
import * as state from "../src/internal/store/state.js"
import { memory } from "../src/internal/store/storage.js"

/** Runs with the path of a file that does not exist yet. */
const withPath = <A, E, R>(use: (path: string) => Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "manilla-data-"))),
    (folder) => use(join(folder, "sandbox.data")),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
  )

/** Tests with the path of a file that does not exist yet. */
const test = (title: string, steps: (path: string) => Steps<Scope.Scope>) =>
  it.live(title, () => withPath((path) => Effect.scoped(Effect.gen(() => steps(path)))))

/** A sandbox with this file, and its clients. */
const live = (data: string) =>
  overGateway().pipe(
    Layer.provideMerge(FetchHttpClient.layer),
    Layer.provideMerge(SandboxServer.layer({ data, settleAfter: "1 hour" }))
  )

const everything = Effect.gen(function* () {
  const sandbox = yield* Sandbox.Sandbox
  const { client_secret } = yield* sandbox.credentials
  return {
    secret: Redacted.value(client_secret),
    payments: yield* sandbox.paymentIntents,
    transactions: yield* sandbox.transactions,
    wallets: yield* sandbox.wallets,
    ledger: yield* sandbox.ledger
  }
})

const pay = (name: string) =>
  Effect.flatMap(Payments.Payments, (payments) =>
    payments.create(collection, { key: IdempotencyKey.derive(name) })
  )

const used = Effect.gen(function* () {
  const sandbox = yield* Sandbox.Sandbox
  const { id } = yield* pay("one")
  yield* sandbox.settle({ resource: id })
  yield* sandbox.rotateSecret
  return yield* everything
})

/** The content of a file, as a new sandbox reads it. */
const stored = (path: string) => Effect.provide(everything, live(path))

const open = (data: string) => Effect.scoped(SandboxServer.make({ data }))

describe("a data file", () => {
  test("keeps the state, and keys and the clock go on", function* (path) {
    const before = yield* Effect.provide(used, live(path))
    yield* Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      assert.deepStrictEqual(yield* everything, before)
      yield* pay("one")
      assert.lengthOf(yield* sandbox.paymentIntents, 1)
      yield* pay("two")
      yield* sandbox.advance({ seconds: 7200 })
    }).pipe(Effect.provide(live(path)))
    yield* Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      const statuses = (yield* sandbox.paymentIntents).map(({ status }) => status)
      assert.deepStrictEqual(statuses, ["COMPLETED", "COMPLETED"])
      yield* sandbox.reset()
    }).pipe(Effect.provide(live(path)))
    const { payments, secret } = yield* stored(path)
    assert.lengthOf(payments, 0)
    assert.strictEqual(secret, before.secret)
  })

  test("keeps a restored snapshot", function* (path) {
    const before = yield* Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      yield* pay("one")
      const snapshot = yield* sandbox.snapshot
      const before = yield* everything
      yield* pay("two")
      yield* sandbox.restore(snapshot)
      return before
    }).pipe(Effect.provide(live(path)))
    assert.deepStrictEqual(yield* stored(path), before)
  })

  test("is read when a row was added and removed before it was written", function* (path) {
    const before = yield* Effect.gen(function* () {
      const { faults } = yield* Sandbox.Sandbox
      yield* pay("one")
      yield* faults.add(Fault.dropBefore())
      yield* faults.clear
      yield* pay("two")
      return yield* everything
    }).pipe(Effect.provide(live(path)))
    assert.deepStrictEqual(yield* stored(path), before)
  })

  const key = (name: string) => ({
    operation: "Payments.create",
    key: name,
    at_ms: 0,
    request: "{}",
    result: { made: name }
  })

  test("keeps a key whose text is that of a forgotten key and a word", function* (path) {
    yield* Effect.gen(function* () {
      const storage = yield* dataFile.open(path)
      const kept = state.make()
      const keys = kept.idempotency_keys
      keys.set(key("abc"))
      storage.keep(kept)
      yield* storage.saved
      keys.set(key("abc removed"))
      keys.remove("Payments.create abc")
      yield* storage.saved
    }).pipe(Effect.scoped)
    const { kept } = yield* Effect.scoped(dataFile.open(path))
    assert.deepStrictEqual(kept?.idempotency_keys.all(), [key("abc removed")])
  })

  test("keeps no change of a state that another one has replaced", function* (path) {
    yield* Effect.gen(function* () {
      const storage = yield* dataFile.open(path)
      const [before, after] = [state.make(), state.make()]
      storage.keep(before)
      yield* storage.saved
      storage.keep(after)
      before.idempotency_keys.set(key("before"))
      after.idempotency_keys.set(key("after"))
    }).pipe(Effect.scoped)
    const { kept } = yield* Effect.scoped(dataFile.open(path))
    assert.deepStrictEqual(kept?.idempotency_keys.all(), [key("after")])
  })

  test("ends with an incomplete line after a kill, which nobody saw", function* (path) {
    const before = yield* Effect.provide(used, live(path))
    appendFileSync(path, '0123456789abcdef {"changes":[["payme')
    assert.deepStrictEqual(yield* stored(path), before)
  })

  const older = (text: string) => text.replace(/"version":\d+/, '"version":1')
  const changed = (text: string) => text.replace("1500.0000", "1501.0000")
  for (const [name, damage, reason] of [
    ["of another version", older, /has version 1/],
    ["of another program", () => "name,amount\nx,1\n", /not a data file/],
    ["without a line break", () => "SQLite format 3", /not a data file/],
    ["with a changed digit", changed, /line \d+ is damaged/]
  ] as const) {
    test(`${name} is refused with the reason, and left as it is`, function* (path) {
      yield* Effect.provide(used, live(path))
      const damaged = damage(readFileSync(path, "utf8"))
      writeFileSync(path, damaged)
      const error = yield* Effect.flip(open(path))
      assert.strictEqual(error._tag, "DataError")
      assert.match(String(error.message), reason)
      assert.strictEqual(readFileSync(path, "utf8"), damaged)
    })
  }

  test("with any line missing, doubled or moved, or any end cut off, is refused", function* (path) {
    const names = Array.from({ length: 6 }, (_, index) => `payment ${index}`)
    yield* Effect.forEach(names, pay).pipe(Effect.provide(live(path)))
    const text = readFileSync(path, "utf8")
    const lines = text.split(/(?<=\n)/)
    assert.isAbove(lines.length, names.length)
    const damaged = lines.flatMap((line, index) => {
      if (index === 0) return []
      const before = lines.slice(0, index)
      const after = lines.slice(index + 1)
      return [
        [...before, ...after],
        [...before, line, line, ...after],
        [...before, ...after.slice(0, 1), line, ...after.slice(1)],
        before,
        [...before, line.slice(0, line.length / 2)]
      ]
    })
    for (const one of damaged.map((each) => each.join("")).filter((each) => each !== text)) {
      writeFileSync(path, one)
      const error = yield* Effect.flip(Effect.scoped(dataFile.open(path)))
      assert.match(error.reason, /line \d+/)
      assert.strictEqual(readFileSync(path, "utf8"), one)
    }
  })

  const kinds: ReadonlyArray<readonly [name: string, make: (path: string) => unknown]> = [
    ["a folder", mkdirSync],
    ["a FIFO", (path) => execFileSync("mkfifo", [path])],
    ["a device", (path) => execFileSync("mknod", [path, "c", "1", "3"])],
    ["a socket", (path) => socketAt(path).then((leave) => leave())],
    ["a link to a FIFO", (path) => symlinkSync(made(`${path}.fifo`), path)]
  ]
  /** Listens, until a call leaves the socket as a kill does: a server does not find its socket after a move. */
  const socketAt = async (path: string) => {
    const server = createServer().listen(`${path}.moved`)
    await once(server, "listening")
    renameSync(`${path}.moved`, path)
    return () => once(server.close(), "close")
  }
  const made = (path: string) => {
    execFileSync("mkfifo", [path])
    return path
  }

  for (const [name, make] of kinds) {
    it.live.skipIf(process.platform === "win32")(
      `that is ${name} is refused before it is opened`,
      ({ skip }) =>
        withPath((path) =>
          Effect.gen(function* () {
            // Only root may make a device.
            const isMade = yield* Effect.isSuccess(Effect.tryPromise(async () => make(path)))
            if (!isMade) return skip()
            const before = statSync(path)
            const error = yield* Effect.flip(open(path))
            assert.match(String(error.message), /it is not a regular file/)
            const { ino, mode, mtimeMs } = statSync(path)
            assert.deepStrictEqual([ino, mode, mtimeMs], [before.ino, before.mode, before.mtimeMs])
          })
        )
    )
  }

  test("is readable by its owner alone, also behind what another program left", function* (path) {
    const other = `${path}.other`
    writeFileSync(other, "untouched")
    symlinkSync(other, `${path}.new`)
    yield* open(path)
    assert.strictEqual(statSync(path).mode & 0o777, 0o600)
    assert.strictEqual(readFileSync(other, "utf8"), "untouched")
  })

  test("keeps the credentials and wallets of a sandbox that got no request", function* (path) {
    const copied = Effect.map(everything, (all) => [readFileSync(path), all] as const)
    const [bytes, all] = yield* Effect.provide(copied, live(path))
    // As a kill leaves it.
    writeFileSync(path, bytes)
    assert.deepStrictEqual(yield* stored(path), all)
  })

  test("is open in one sandbox at a time", function* (path) {
    const refused = Effect.zipRight(Sandbox.Sandbox, Effect.flip(open(path)))
    const error = yield* Effect.provide(refused, live(path))
    assert.match(String(error.message), /another process has it open/)
    yield* open(path)
  })

  // On macOS, a lock is such a socket. A killed process leaves it behind.
  it.live.skipIf(process.platform === "win32")(
    "can be opened after a kill that left its lock, but not while it is open",
    () =>
      withPath((path) =>
        Effect.gen(function* () {
          const address = `${path}.sock`
          const held = createServer()
          yield* Effect.promise(() => once(held.listen(`${path}.moved`), "listening"))
          renameSync(`${path}.moved`, address)
          const taken = Effect.scoped(lock.take(address))
          assert.strictEqual((yield* Effect.flip(taken)).code, "EADDRINUSE")
          yield* Effect.promise(() => once(held.close(), "close"))
          assert.isTrue(existsSync(address))
          const other = yield* Effect.scoped(
            Effect.zipRight(lock.take(address), Effect.flip(taken))
          )
          assert.strictEqual(other.code, "EADDRINUSE")
          yield* taken
          assert.isFalse(existsSync(address))
        })
      )
  )

  for (const isNew of [false, true]) {
    test(`behind a symbolic link is the target${isNew ? ", which is made" : ""}`, function* (path) {
      const link = `${path}.link`
      if (!isNew) yield* open(path)
      symlinkSync(path, link)
      const before = yield* Effect.gen(function* () {
        yield* pay("one")
        const refused = yield* open(path).pipe(
          Effect.as("opened twice"),
          Effect.catchAll(({ message }) => Effect.succeed(message))
        )
        assert.include(refused, "another process has it open")
        return yield* everything
      }).pipe(Effect.provide(live(link)))
      assert.isTrue(lstatSync(link).isSymbolicLink())
      assert.deepStrictEqual(yield* stored(path), before)
    })
  }

  Test.live("in a folder that does not exist is refused with the reason", function* () {
    const error = yield* Effect.flip(open("/nonexistent/sandbox.data"))
    assert.match(String(error.message), /cannot be used: ENOENT/)
  })

  test("gets no line after one that could not be written", function* (path) {
    const storage = yield* dataFile.open(path)
    const kept = state.make()
    storage.keep(kept)
    const handle = yield* Effect.promise(() => openFile(path))
    yield* Effect.promise(() => handle.close())
    const handles: FileHandle = Object.getPrototypeOf(handle)
    vi.spyOn(handles, "datasync").mockRejectedValueOnce(new Error("the disk is full"))
    assert.match((yield* Effect.flip(storage.saved)).reason, /the disk is full/)
    kept.idempotency_keys.set(key("lost"))
    assert.match((yield* Effect.flip(storage.saved)).reason, /the disk is full/)
  })

  Test.effect("that cannot be written leaves requests without a response", function* () {
    const full = new Sandbox.DataError({ path: "sandbox.data", reason: "the disk is full" })
    const emulated = yield* emulation.make({ origin: () => "" }, { ...memory, saved: full })
    const apps = app.make(emulated, { sandbox: Effect.never, enabled: false })
    const url = "http://localhost/api/v1/services"
    const error = yield* Effect.flip(
      apps.main({ method: "GET", url, headers: {}, body: new Uint8Array() })
    )
    assert.strictEqual(error._tag, "Dropped")
  })
})
