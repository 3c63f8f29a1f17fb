import * as OpenEnum from "@manilla/core/OpenEnum"

const Status = OpenEnum.make("PENDING", "COMPLETED")
// Schema<"PENDING" | "COMPLETED" | Other, string>
