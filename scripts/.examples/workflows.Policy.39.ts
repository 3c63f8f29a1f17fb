import * as Policy from "@manilla/workflows/Policy"

const policy = Policy.make({ carryOn: { initial: "10 seconds", factor: 2, deadline: "12 hours" } })
