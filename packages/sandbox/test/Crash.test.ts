/**
 * The process stops at each of its steps, and a new one goes on with the same key: one effect, the
 * same bytes, and a last word that agrees with the ledger.
 *
 * Each resumption of a fiber is a step, and each moment of a wait. Of the operations in between, of
 * which there are a thousand and more, a sample is tried. To stop at all of them, two or three apart:
 * `CRASH_STRIDE=1 npx vitest run --project sandbox Crash.test.ts`, which takes a quarter of an hour.
 */
import * as crash from "./utils/crash.js"

crash.suite("killed", "is done once when it goes on")
