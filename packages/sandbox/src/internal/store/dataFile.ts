/**
 * A file that keeps the state. Each line is a state or the changes of one, with a checksum, and is appended
 * and flushed to the disk before the requests that made the changes are answered. A process that is killed
 * leaves at most an incomplete last line, which nobody saw. The file is rewritten when it is opened.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import type { FileHandle } from "node:fs/promises"
import { open as openFile, realpath, rename, stat } from "node:fs/promises"
import { dirname } from "node:path"
import * as Sandbox from "../../Sandbox.js"
import * as lock from "./lock.js"
import * as state from "./state.js"
import type { Storage } from "./storage.js"

const Header = Schema.Struct({
  format: Schema.Literal("manilla-sandbox-data"),
  version: Schema.Int
})

const Line = Schema.Union(
  Schema.Struct({ state: Schema.Record({ key: Schema.String, value: Schema.Unknown }) }),
  Schema.Struct({ changes: Schema.Array(state.Change) })
)

const decodeHeader = Schema.decodeUnknownEither(Schema.parseJson(Header))
const decodeLine = Schema.decodeUnknownEither(Schema.parseJson(Line))

export const open = (path: string): Effect.Effect<Storage, Sandbox.DataError, Scope.Scope> =>
  Effect.gen(function* () {
    const file = yield* attempt(path, () => locate(path))
    yield* takeLock(path, file)
    // The kept state is not recorded while it is read.
    let record: state.OnChange = () => {}
    const kept = yield* attempt(path, () => read(path, (...change) => record(...change)))
    const handle = yield* Effect.acquireRelease(
      attempt(path, () => rewrite(file, kept)),
      (handle) => Effect.promise(() => handle.close())
    )

    let replaced: state.State | undefined
    let changes: Array<Parameters<state.OnChange>> = []
    let generation = 0
    let failure: Sandbox.DataError | undefined

    const startRecording = (): state.OnChange => {
      const own = ++generation
      changes = []
      return (...change) => {
        if (own === generation) changes.push(change)
      }
    }
    record = startRecording()

    const lineToWrite = (): string | undefined => {
      if (replaced !== undefined) {
        const line = lineOf({ state: state.encode(replaced) })
        replaced = undefined
        changes = []
        return line
      }
      if (changes.length === 0) return undefined
      const line = lineOf({ changes: changes.map((change) => state.encodeChange(...change)) })
      changes = []
      return line
    }

    const write = Effect.suspend(() => {
      if (failure !== undefined) return Effect.fail(failure)
      const line = lineToWrite()
      if (line === undefined) return Effect.void
      return attempt(path, async () => {
        await handle.appendFile(line)
        await handle.datasync()
      }).pipe(
        Effect.tapError((error) =>
          Effect.sync(() => {
            failure = error
          })
        )
      )
    })
    // One write at a time: it takes the changes of all requests that wait for it.
    const turns = yield* Effect.makeSemaphore(1)
    const saved = turns.withPermits(1)(Effect.uninterruptible(write))
    yield* Effect.addFinalizer(() => Effect.ignore(saved))
    const storage: Storage = {
      kept,
      record: startRecording,
      replace: (next) => {
        replaced = next
      },
      saved
    }
    return storage
  })

/** The file behind symbolic links. It is made if it does not exist, also at the end of a link. */
const locate = async (path: string): Promise<string> => {
  await (await openFile(path, "a", 0o600)).close()
  return realpath(path)
}

const attempt = <A>(path: string, run: () => Promise<A>): Effect.Effect<A, Sandbox.DataError> =>
  Effect.tryPromise({
    try: run,
    catch: (cause) =>
      cause instanceof Sandbox.DataError
        ? cause
        : new Sandbox.DataError({
            path,
            reason: `it cannot be used: ${Predicate.isError(cause) ? cause.message : String(cause)}`
          })
  })

const lineOf = (content: typeof Line.Type): string => {
  const json = JSON.stringify(content)
  return `${checksum(json)} ${json}\n`
}

const checksum = (json: string): string =>
  createHash("sha256").update(json).digest("hex").slice(0, 16)

/** Reads the state of a file. An empty file has none. */
const read = async (path: string, onChange: state.OnChange): Promise<state.State | undefined> => {
  const damaged = (reason: string) => new Sandbox.DataError({ path, reason })
  let lines = 0
  let found: state.State | undefined
  for await (const line of linesOf(path)) {
    lines++
    if (lines === 1) {
      const header = decodeHeader(line)
      if (Either.isLeft(header)) throw damaged("it is not a data file of a sandbox")
      const { version } = header.right
      if (version !== Sandbox.snapshotVersion) {
        throw damaged(
          `it has version ${version}, and this sandbox reads version ${Sandbox.snapshotVersion}`
        )
      }
      continue
    }
    const json = line.slice(17)
    const content = decodeLine(json)
    if (line.slice(0, 16) !== checksum(json) || Either.isLeft(content)) {
      throw damaged(`line ${lines} is damaged`)
    }
    if ("state" in content.right) {
      const decoded = state.decode(content.right.state, onChange)
      if (Either.isLeft(decoded)) throw damaged(`line ${lines} is not a state`)
      found = decoded.right
      continue
    }
    for (const change of content.right.changes) {
      if (found === undefined || !state.change(found, change)) {
        throw damaged(`line ${lines} does not fit the lines before it`)
      }
    }
  }
  if (found !== undefined && !state.isSound(found)) throw damaged("its ledger does not balance")
  return found
}

/** The lines of a file without its last one, if that is incomplete. */
async function* linesOf(path: string): AsyncGenerator<string> {
  if ((await stat(path)).size === 0) return
  let rest = ""
  let isFirst = true
  const chunks: AsyncIterable<string> = createReadStream(path, {
    encoding: "utf8",
    highWaterMark: 16 * 1024 * 1024
  })
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split("\n")
    rest = lines.pop() ?? ""
    if (lines.length > 0) isFirst = false
    yield* lines
  }
  // The first line is never incomplete, because the file is made as a whole.
  if (isFirst) yield rest
}

/** Replaces the file by a short one with the same state, and opens it for more lines. */
const rewrite = async (path: string, kept: state.State | undefined): Promise<FileHandle> => {
  const next = `${path}.new`
  const handle = await openFile(next, "w", 0o600)
  const header = { format: "manilla-sandbox-data", version: Sandbox.snapshotVersion }
  await handle.writeFile(
    `${JSON.stringify(header)}\n${kept === undefined ? "" : lineOf({ state: state.encode(kept) })}`
  )
  await handle.sync()
  await rename(next, path)
  // Windows cannot flush a folder.
  if (process.platform === "win32") return handle
  const folder = await openFile(dirname(path), "r")
  await folder.sync()
  await folder.close()
  return handle
}

/** Fails if another process has the file open. */
const takeLock = (
  path: string,
  file: string
): Effect.Effect<void, Sandbox.DataError, Scope.Scope> =>
  Effect.mapError(
    lock.take(lock.addressOf(`manilla-sandbox-${checksum(file)}`)),
    ({ code, message }) =>
      new Sandbox.DataError({
        path,
        reason:
          code === "EADDRINUSE" ? "another process has it open" : `it cannot be locked: ${message}`
      })
  )
