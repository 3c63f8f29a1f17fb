/**
 * A file that keeps the state. Its first line counts the others. Each of those has changes of the state, with
 * a checksum of all lines until it, and is appended and flushed to the disk before the requests that made the
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

const Line = Schema.Struct({
  /** Whether the changes begin with an empty state. Otherwise they follow those before. */
  starts: Schema.Boolean,
  changes: Schema.Array(state.Change)
})

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
    /** The changes that are not written yet. */
    let changes: Array<state.Change> = []
    let starts = false
    let failure: Sandbox.DataError | undefined

    const watch = (next: state.State) => {
      current = next
      state.watch(next, (change) => {
        if (current === next) changes.push(change)
      })
    }
    if (kept !== undefined) watch(kept)

    const write = Effect.suspend(() => {
      if (failure !== undefined) return Effect.fail(failure)
      const line = { starts, changes }
      if (!starts && changes.length === 0) return Effect.void
      starts = false
      changes = []
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
        watch(next)
        changes = state.changesTo(next)
        starts = true
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

const checksum = (...texts: ReadonlyArray<string>): string =>
  createHash("sha256").update(texts.join("")).digest("hex").slice(0, 16)

/** Reads the state of a file. An empty file has none. */
const read = async (path: string): Promise<state.State | undefined> => {
  const refused = (reason: string) => new Sandbox.DataError({ path, reason })
  const damaged = (reason: string) =>
    refused(
      `${reason}. Put a copy of the file in its place, or remove it to start without its state`
    )
  if ((await stat(path)).size === 0) return undefined
  const lines = linesOf(path)
  const first = await lines.next()
  const header = Either.getOrThrowWith(decodeHeader(first.value), () =>
    refused("it is not a data file of a sandbox")
  )
  if (header.version !== state.version) {
    throw refused(
      `it has version ${header.version}, and this sandbox reads version ${state.version}`
    )
  }
  let kept: state.State | undefined
  let number = 1
  let last = ""
  for await (const line of lines) {
    number++
    const json = line.slice(17)
    const decoded = decodeLine(json)
    last = checksum(last, json)
    if (line.slice(0, 16) !== last || Either.isLeft(decoded)) {
      throw damaged(
        `line ${number} is damaged, or is not the one that was written after line ${number - 1}`
      )
    }
    const { changes, starts } = decoded.right
    const next = starts ? state.make() : kept
    if (next === undefined || !changes.every((change) => state.change(next, change))) {
      throw damaged(`line ${number} does not fit the lines before it`)
    }
    kept = next
  }
  if (number <= header.lines) {
    throw damaged(`it ends with line ${number}, and ${header.lines + 1} were written`)
  }
  if (kept !== undefined && !ledger.isSound(kept)) throw damaged("its ledger does not balance")
  return kept
}

/** The lines of a file, which may have any size, without the last one if that is incomplete. */
async function* linesOf(path: string): AsyncGenerator<string> {
  let rest = ""
  const chunks: AsyncIterable<string> = createReadStream(path, {
    encoding: "utf8",
    highWaterMark: 16 * 1024 * 1024
  })
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split("\n")
    rest = lines.pop() ?? ""
    yield* lines
  }
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
  if (kept !== undefined) {
    await append(written, { starts: true, changes: state.changesTo(kept) })
  }
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
