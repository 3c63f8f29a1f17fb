// A bar chart as SVG, without scripts or fonts, readable on light and dark backgrounds.
import { number } from "./format.js"
import type { Quartiles } from "./statistics.js"

export interface Bar {
  readonly label: string
  readonly value: Quartiles
  readonly kind: "ours" | "base" | "other"
}

const width = 760
const labelWidth = 190
const valueWidth = 60
const rowHeight = 28
const top = 52

const style = `
  text { font: 13px system-ui, sans-serif; fill: #24292f }
  .title { font-size: 15px; font-weight: 600 }
  .note { fill: #57606a }
  .other { fill: #8c959f }
  .base { fill: #57606a }
  .ours { fill: #0969da }
  .spread { stroke: #24292f; stroke-width: 1.5; opacity: 0.6 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .note { fill: #9198a1 }
    .other { fill: #6e7681 }
    .base { fill: #9198a1 }
    .ours { fill: #4493f8 }
    .spread { stroke: #e6edf3 }
  }
`

const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll("`", "")

export const barChart = (title: string, note: string, bars: ReadonlyArray<Bar>): string => {
  const most = Math.max(...bars.map(({ value }) => value.upper))
  const room = width - labelWidth - valueWidth
  const x = (value: number): number => Math.round((labelWidth + (value / most) * room) * 10) / 10
  const rows = bars.map(({ kind, label, value }, index) => {
    const y = top + index * rowHeight
    const middle = y + rowHeight / 2
    return `  <text x="${labelWidth - 8}" y="${middle + 4}" text-anchor="end">${escape(label)}</text>
  <rect class="${kind}" x="${labelWidth}" y="${y + 5}" width="${Math.max(1, x(value.median) - labelWidth).toFixed(1)}" height="${rowHeight - 10}" rx="2" />
  <line class="spread" x1="${x(value.lower)}" x2="${x(value.upper)}" y1="${middle}" y2="${middle}" />
  <text x="${x(value.upper) + 8}" y="${middle + 4}">${number(value.median)}</text>`
  })
  const height = top + bars.length * rowHeight + 12
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escape(title)}">
  <style>${style}</style>
  <text class="title" x="8" y="20">${escape(title)}</text>
  <text class="note" x="8" y="40">${escape(note)}</text>
${rows.join("\n")}
</svg>
`
}
