/**
 * An interruption at any step is reported, by the result or by a warning with the key or the id of the
 * write. A process that repeats the call with the same key finds one effect.
 *
 * A step is a resumption of a fiber, or an external event during a wait. Of the more than a thousand
 * operations between steps, only a sample is tested. To test every second or third operation, run
 * `CRASH_STRIDE=1 npx vitest run --project sandbox/prove Interruptions.test.ts`, which takes minutes.
 */
import * as crash from "./utils/crash.js"

crash.suite()
crash.suiteOfEnds()
crash.suiteOfCreations()
