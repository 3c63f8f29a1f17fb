// Next replaces `fetch`, and caches responses: each version of Next builds one app with the packages from tarballs, and
// serves it over a sandbox.
import { assert, describe, it } from "@effect/vitest"
import * as SandboxServer from "@manilla/sandbox/SandboxServer"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schedule from "effect/Schedule"
import { execFile, spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { exactIn } from "../../../scripts/packages.js"
import { packSome } from "../../../scripts/project.js"
import { environmentOf } from "../../../scripts/sandboxed.js"

const minutes = 60_000

/** The exact versions of Next, each with a React of that time. */
const versions = [
  ["14.2.35", "18.3.1"],
  ["15.5.29", "19.3.1"]
] as const

interface Handler {
  /** The setting `fetchCache` of the route: what Next does with responses of `fetch`. */
  readonly fetchCache?: "default-cache" | "force-cache"
  /** The module of another client than that of `Promises`. */
  readonly client?: string
}

/** The source of a handler that responds with the status of a payment. */
const readerOf = ({ client, fetchCache }: Handler): string => `
${client === undefined ? withPromises : withEffect(client)}
${fetchCache === undefined ? "" : `export const fetchCache = "${fetchCache}"`}

export const GET = async (_: Request, { params }: { params: Promise<{ id: string }> }) =>
  Response.json(await read((await params).id))
`

const withPromises = `
import { PaymentIntent, Promises } from "@manilla/promises"

let connection: Promise<Promises.Promises> | undefined

const read = async (id: string) => {
  const { payments } = await (connection ??= Promises.make())
  const read = await payments.get(PaymentIntent.makeId(id))
  return read.ok ? read.value.status : read.error.message
}
`

const withEffect = (client: string) => `
import { PaymentIntent, Payments } from "@manilla/payments"
import { Manilla } from "@manilla/token"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Client from "${client}"

const runtime = ManagedRuntime.make(
  Payments.layer.pipe(Layer.provide(Manilla.layerConfig()), Layer.provide(Client.layer))
)

const read = (id: string) =>
  runtime.runPromise(
    Effect.flatMap(Payments.Payments, ({ get }) => get(PaymentIntent.makeId(id))).pipe(
      Effect.match({ onFailure: ({ message }) => message, onSuccess: ({ status }) => status })
    )
  )
`

const platform = "@effect/platform/FetchHttpClient"

/** By default, Next 14 caches in such a handler, and Next 15 does not. */
const readers: Readonly<Record<string, Handler>> = {
  promises: {},
  "promises-cached": { fetchCache: "default-cache" },
  platform: { client: platform },
  "platform-cached": { client: platform, fetchCache: "default-cache" },
  // This one overrides what a request says, but undici is not `fetch`.
  "undici-forced": { client: "@manilla/core/UndiciClient", fetchCache: "force-cache" }
}

/** A file of the guides. Next does not find `./pay.js` for `pay.ts`. */
const guide = (file: string) =>
  readFileSync(join(import.meta.dirname, "../..", file), "utf8").replace(/("\.[./\w]+).js"/g, '$1"')

/** One pass of the worker of the guides. */
const worker = `
import { Promises } from "@manilla/promises"
import { open } from "../orders/checkout/orders"
import { pass } from "../orders/checkout/worker"

export const POST = async () => {
  await pass(await open("orders.db"), await Promises.make())
  return Response.json({})
}
`

const tsconfig = {
  compilerOptions: {
    lib: ["dom", "esnext"],
    module: "esnext",
    moduleResolution: "bundler",
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    esModuleInterop: true,
    isolatedModules: true,
    resolveJsonModule: true,
    allowJs: true,
    incremental: true,
    jsx: "preserve",
    plugins: [{ name: "next" }]
  },
  include: ["next-env.d.ts", "app", ".next/types/**/*.ts"],
  exclude: ["node_modules"]
}

const files = {
  "package.json": JSON.stringify({ private: true }),
  "tsconfig.json": JSON.stringify(tsconfig),
  "app/orders/[id]/route.ts": guide("frameworks/next.ts"),
  "app/worker/route.ts": worker,
  ...Object.fromEntries(
    ["order", "orders", "pay", "worker"].map((name) => [
      `app/orders/checkout/${name}.ts`,
      guide(`checkout/${name}.ts`)
    ])
  ),
  ...Object.fromEntries(
    Object.entries(readers).map(([name, handler]) => [
      `app/${name}/[id]/route.ts`,
      readerOf(handler)
    ])
  )
}

/** A new folder, which ends with the scope. */
const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "manilla-next-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, maxRetries: 5 }))
)

const production = { ...process.env, NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" }

/** Installs Next and the packages in a new folder, and builds the app. Returns the folder. */
const build = ([next, react]: (typeof versions)[number]) =>
  Effect.gen(function* () {
    const cwd = yield* folder
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(cwd, file)), { recursive: true })
      writeFileSync(join(cwd, file), text)
    }
    const run = (command: string, ...args: ReadonlyArray<string>) =>
      Effect.promise(() => promisify(execFile)(command, args, { cwd, env: production }))
    const quiet = ["--silent", "--no-audit", "--no-fund", "--ignore-scripts"]
    const own = yield* Effect.promise(() => packSome(cwd, ["payments", "promises", "token"]))
    const frame = [`next@${next}`, `react@${react}`, `react-dom@${react}`]
    const store = exactIn("examples")("@libsql/client")
    const types = [`@types/react@${parseInt(react)}`, exactIn(".")("@types/node")]
    yield* run("npm", "install", ...quiet, ...own, ...frame, ...types, store, "typescript@5.9.3")
    yield* run("npx", "--no-install", "next", "build")
    return cwd
  })

/** Starts a built app, which ends with the scope. Returns its address. */
const start = (cwd: string, settings: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const script = join(cwd, "node_modules/next/dist/bin/next")
    const args = [script, "start", "--hostname", "127.0.0.1", "--port", "0"]
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, args, { cwd, env: { ...production, ...settings } })
      ),
      (started) =>
        Effect.async<void>((resume) => {
          if ((started.exitCode ?? started.signalCode) !== null) return resume(Effect.void)
          started.once("close", () => resume(Effect.void)).kill()
        })
    )
    return yield* Effect.async<string>((resume) => {
      let output = ""
      const read = (chunk: unknown) => {
        output += String(chunk)
        const [, origin] = /Local: +(http:\S+)[^]*Ready/.exec(output) ?? []
        if (origin !== undefined) resume(Effect.succeed(origin))
      }
      child.stdout.on("data", read)
      child.stderr.on("data", read)
      child.once("close", () => resume(Effect.dieMessage(`Next ended: ${output}`)))
    })
  })

const json = (origin: string, path: string, init?: RequestInit) =>
  Effect.promise(async (): Promise<unknown> => {
    const response = await fetch(origin + path, init)
    return await response.json()
  })

describe("Next", () => {
  for (const version of versions) {
    it.live(
      `${version[0]} reads what the service says now, and renews its tokens`,
      () =>
        Effect.gen(function* () {
          const project = yield* build(version)
          const sandbox = yield* SandboxServer.make({ settleAfter: "1 day" })
          const origin = yield* start(project, yield* environmentOf(sandbox))
          const sent = (operation: string, status: number) =>
            Effect.map(
              sandbox.exchanges,
              (all) =>
                all.filter((one) => one.operation === operation && one.ending === status).length
            )
          const names = Object.keys(readers)
          const order = "/orders/6f1b8a52-3c1f-4a53-9a7e-6a2f54d1c0de"
          const body = JSON.stringify({ phone: "+2290161234567", amount: "1500" })
          const pay = json(origin, order, { method: "POST", body })
          const work = json(origin, "/worker", { method: "POST" })
          assert.deepInclude(yield* pay, { state: "open" })
          yield* work
          const [payment] = yield* sandbox.paymentIntents
          const id = payment?.id ?? assert.fail("no payment")
          const read = Effect.forEach(names, (name) => json(origin, `/${name}/${id}`))
          const all = (status: string) => names.map(() => status)

          assert.deepStrictEqual(yield* read, all("PENDING"))
          yield* sandbox.settle({ resource: id })
          assert.deepStrictEqual(yield* read, all("COMPLETED"))
          // The worker has its connection as well.
          assert.strictEqual(yield* sent("Token.obtain", 200), names.length + 1)

          yield* sandbox.advance({ seconds: 7200 })
          assert.deepStrictEqual(yield* read, all("COMPLETED"))
          // The order is due a second after it was sent, and a pass before that does nothing.
          yield* Effect.zipRight(work, json(origin, order)).pipe(
            Effect.repeat({
              until: (seen) => Predicate.hasProperty(seen, "state") && seen.state === "paid",
              schedule: Schedule.spaced("200 millis")
            })
          )
          assert.deepInclude(yield* pay, { state: "paid" })
          assert.strictEqual(yield* sent("Token.obtain", 200), 2 * (names.length + 1))
          assert.strictEqual(yield* sent("Payments.get", 200), 3 * names.length + 1)
          assert.lengthOf(yield* sandbox.paymentIntents, 1)
        }).pipe(Effect.scoped),
      10 * minutes
    )
  }
})
