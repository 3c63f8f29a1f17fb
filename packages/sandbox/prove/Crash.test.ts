/**
 * The process is killed at each step, and a new process repeats the call with the same key. There must
 * be one effect, identical requests, and a result that matches the ledger.
 *
 * A step is a resumption of a fiber, or an external event during a wait. Of the more than a thousand
 * operations between steps, only a sample is tested. To test every second or third operation, run
 * `CRASH_STRIDE=1 npx vitest run --project sandbox/prove Crash.test.ts`, which takes 15 minutes.
 */
import * as crash from "./utils/crash.js"

crash.suite("killed", "has one effect when the call is repeated")
