/**
 * A file that keeps the state. Its first line counts the others. Each of those is a state or the changes of one,
 * with a checksum of all lines until it, and is appended and flushed to the disk before the requests that made the
 * changes are answered. A process that is killed leaves at most an incomplete last line, which nobody saw and the
 * first line does not count. The file is rewritten when it is opened.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import type { FileHandle } from "node:fs/promises"
import { open as openFile, realpath, rename, rm, stat } from "node:fs/promises"
import { dirname } from "node:path"
import * as Sandbox from "../../Sandbox.js"
import * as ledger from "../money/ledger.js"
import * as lock from "./lock.js"
import * as state from "./state.js"
import type { Storage } from "./storage.js"

const Header = Schema.Struct({
  format: Schema.Literal("manilla-sandbox-data"),
  version: Schema.Int,
  /** How many lines after this one were flushed. */
  lines: Schema.NonNegativeInt
})

const Line = Schema.Union(
  Schema.Struct({ state: Schema.Record({ key: Schema.String, value: Schema.Unknown }) }),
  Schema.Struct({ changes: Schema.Array(state.Change) })
)

type Line = typeof Line.Type

const decodeHeader = Schema.decodeUnknownEither(Schema.parseJson(Header))
const decodeLine = Schema.decodeUnknownEither(Schema.parseJson(Line))

export const open = (path: string): Effect.Effect<Storage, Sandbox.DataError, Scope.Scope> =>
  Effect.gen(function* () {
    const file = yield* attempt(path, () => locate(path))
    yield* takeLock(path, file)
    const kept = yield* attempt(path, () => read(path))
    const written = yield* Effect.acquireRelease(
      attempt(path, () => rewrite(file, kept)),
      ({ handle }) => Effect.promise(() => handle.close())
    )

    let current: state.State | undefined
    /** Whether the file has the current state. */
    let isWritten = true
    let changes: Array<state.Change> = []
    let failure: Sandbox.DataError | undefined

    const keep = (next: state.State) => {
      if (current !== undefined) state.unwatch(current)
      current = next
      changes = []
      state.watch(next, (change) => changes.push(change))
    }
    if (kept !== undefined) keep(kept)

    const nextLine = (): Line | undefined => {
      const line =
        current === undefined || isWritten ? { changes } : { state: state.encode(current) }
      if ("changes" in line && changes.length === 0) return undefined
      isWritten = true
      changes = []
      return line
    }

    const write = Effect.suspend(() => {
      if (failure !== undefined) return Effect.fail(failure)
      const line = nextLine()
      if (line === undefined) return Effect.void
      return Effect.tapError(
        attempt(path, () => append(written, line)),
        (error) =>
          Effect.sync(() => {
            failure = error
          })
      )
    })
    // One write at a time: it takes the changes of all requests that wait for it.
    const turns = yield* Effect.makeSemaphore(1)
    const saved = turns.withPermits(1)(Effect.uninterruptible(write))
    yield* Effect.addFinalizer(() => Effect.ignore(saved))
    return {
      kept,
      keep: (next) => {
        keep(next)
        isWritten = false
      },
      saved
    }
  })

/** The file behind symbolic links. It is made if it does not exist, also at the end of a link. */
const locate = async (path: string): Promise<string> => {
  const found = await stat(path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== "ENOENT") throw cause
  })
  // To open a FIFO would wait, and to replace a device would take it from all programs.
  if (found?.isFile() === false) {
    throw new Sandbox.DataError({ path, reason: "it is not a regular file" })
  }
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

/** Has one length for all counts, so that it can be replaced in its place. */
const headerOf = (lines: number): string => {
  const header = { format: "manilla-sandbox-data", version: state.version, lines }
  return `${JSON.stringify(header).padEnd(80)}\n`
}

const checksum = (...texts: ReadonlyArray<string>): string => {
  const hash = createHash("sha256")
  for (const text of texts) hash.update(text)
  return hash.digest("hex").slice(0, 16)
}

/** Reads the state of a file. An empty file has none. */
const read = async (path: string): Promise<state.State | undefined> => {
  const refused = (reason: string) => new Sandbox.DataError({ path, reason })
  const damaged = (reason: string) =>
    refused(
      `${reason}. Put a copy of the file in its place, or remove it to start without its state`
    )
  let header: typeof Header.Type | undefined
  let found: state.State | undefined
  let lines = 0
  let last = ""
  for await (const line of linesOf(path)) {
    if (header === undefined) {
      const decoded = decodeHeader(line)
      if (Either.isLeft(decoded)) throw refused("it is not a data file of a sandbox")
      header = decoded.right
      if (header.version !== state.version) {
        throw refused(
          `it has version ${header.version}, and this sandbox reads version ${state.version}`
        )
      }
      continue
    }
    const number = lines + 2
    const json = line.slice(17)
    const content = decodeLine(json)
    const expected = checksum(last, json)
    if (line.slice(0, 16) !== expected || Either.isLeft(content)) {
      throw damaged(
        `line ${number} is damaged, or is not the one that was written after line ${number - 1}`
      )
    }
    last = expected
    lines++
    const next = applied(found, content.right)
    if (next === undefined) throw damaged(`line ${number} does not fit the lines before it`)
    found = next
  }
  if (header !== undefined && lines < header.lines) {
    throw damaged(`it ends with line ${lines + 1}, and ${header.lines + 1} were written`)
  }
  if (found !== undefined && !ledger.isSound(found)) throw damaged("its ledger does not balance")
  return found
}

/** The state after a line, if it is a line that can follow. */
const applied = (found: state.State | undefined, line: Line): state.State | undefined => {
  if ("state" in line) return Either.getOrUndefined(state.decode(line.state))
  return found !== undefined && line.changes.every((change) => state.change(found, change))
    ? found
    : undefined
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

/** The open file, and how many lines it has after the first one. */
interface Written {
  readonly handle: FileHandle
  lines: number
  /** The checksum of the last line. */
  last: string
}

const append = async (written: Written, line: Line): Promise<void> => {
  const json = JSON.stringify(line)
  written.last = checksum(written.last, json)
  await written.handle.appendFile(`${written.last} ${json}\n`)
  await written.handle.datasync()
  // Flushed with the next line: it may be late, but is never ahead of the lines.
  await written.handle.write(headerOf(++written.lines), 0)
}

/** Replaces the file by a short one with the same state, and opens it for more lines. */
const rewrite = async (path: string, kept: state.State | undefined): Promise<Written> => {
  const next = `${path}.new`
  await rm(next, { force: true })
  const handle = await openFile(next, "wx", 0o600)
  const written = { handle, lines: 0, last: "" }
  await handle.appendFile(headerOf(0))
  if (kept !== undefined) await append(written, { state: state.encode(kept) })
  await handle.sync()
  await rename(next, path)
  // Windows cannot flush a folder.
  if (process.platform === "win32") return written
  const folder = await openFile(dirname(path), "r")
  await folder.sync()
  await folder.close()
  return written
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
