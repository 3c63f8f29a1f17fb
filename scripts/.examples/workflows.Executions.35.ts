import * as Executions from "@manilla/workflows/Executions"

// Executions that have waited for more than an hour.
const late = Executions.list({ states: ["Waiting"], minAge: "1 hour" }, { limit: 20 })
