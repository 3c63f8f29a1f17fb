import * as Errors from "@manilla/core/Errors"

const mayHavePaidInThisCall = (error: Errors.KeyedWriteError) => Errors.outcome(error) !== "notApplied"
