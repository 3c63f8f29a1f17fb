/**
 * An interruption at any step is reported, by the result or by a warning with the key or the id of the
 * write. A process that repeats the call with the same key finds one effect.
 *
 * The steps are those of `Crash.test.ts`, and `CRASH_STRIDE=1` has the same meaning.
 */
import * as crash from "./utils/crash.js"

crash.suite("interrupted", "warns, and has one effect when the call is repeated")
crash.suiteOfEnds()
crash.suiteOfCreations()
