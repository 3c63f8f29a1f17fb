import * as Timestamp from "@manilla/core/Timestamp"

const at = Timestamp.Timestamp.make("2026-01-31T12:00:00.123456Z")
Timestamp.toEpochMicros(at)
// 1769860800123456n
