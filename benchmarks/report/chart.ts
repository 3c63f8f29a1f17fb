// A bar chart as SVG, without scripts or fonts, readable on light and dark backgrounds.
import { number } from "./format.js"
import type { Quartiles } from "./statistics.js"

/** The frame of a chart. */
const svg = (title: string, note: string, height: number, content: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escape(title)}">
  <style>${style}</style>
  <text class="title" x="8" y="20">${escape(title)}</text>
  <text class="note" x="8" y="40">${escape(note)}</text>
${content}
</svg>
`

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
  .grid { stroke: #8c959f; stroke-width: 0.5; opacity: 0.5 }
  .line { fill: none; stroke: #0969da; stroke-width: 2 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .note { fill: #9198a1 }
    .other { fill: #6e7681 }
    .base { fill: #9198a1 }
    .ours { fill: #4493f8 }
    .spread { stroke: #e6edf3 }
    .line { stroke: #4493f8 }
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
  return svg(title, note, height, rows.join("\n"))
}

export interface Line {
  readonly label: string
  readonly points: ReadonlyArray<{ readonly x: number; readonly y: number }>
}

/** The strokes of lines, so that they can be told apart without colours. */
const dashes = ["", "8 4", "2 4", "10 3 2 3"]

const ticks = (least: number, most: number): ReadonlyArray<number> => {
  const first = Math.floor(Math.log10(least))
  const last = Math.ceil(Math.log10(most))
  return Array.from({ length: last - first + 1 }, (_, index) => 10 ** (first + index))
}

/** Growth, on two logarithmic axes. */
export const lineChart = (title: string, note: string, lines: ReadonlyArray<Line>): string => {
  const points = lines.flatMap((line) => line.points)
  const axis = (of: "x" | "y", from: number, to: number) => {
    const values = points.map((point) => point[of])
    const marks = ticks(Math.min(...values), Math.max(...values))
    const [low = 1] = marks
    const decades = Math.max(1, marks.length - 1)
    const place = (value: number) =>
      (from + (Math.log10(value / low) / decades) * (to - from)).toFixed(1)
    return { marks, place }
  }
  const height = 400
  const [left, right, bottom] = [70, width - 190, height - 40]
  const x = axis("x", left, right)
  const y = axis("y", bottom, top + 10)
  const grid = [
    ...x.marks.map(
      (
        mark
      ) => `  <text class="note" x="${x.place(mark)}" y="${bottom + 22}" text-anchor="middle">${mark.toLocaleString("en")}</text>
  <line class="grid" x1="${x.place(mark)}" x2="${x.place(mark)}" y1="${top + 10}" y2="${bottom}" />`
    ),
    ...y.marks.map(
      (
        mark
      ) => `  <text class="note" x="${left - 8}" y="${Number(y.place(mark)) + 4}" text-anchor="end">${mark >= 1 ? mark.toLocaleString("en") : mark}</text>
  <line class="grid" x1="${left}" x2="${right}" y1="${y.place(mark)}" y2="${y.place(mark)}" />`
    )
  ]
  const drawn = lines.map(({ label, points: own }, index) => {
    const dash = dashes[index % dashes.length]
    const legend = top + 20 + index * 24
    return `  <polyline class="line" stroke-dasharray="${dash}" points="${own.map((point) => `${x.place(point.x)},${y.place(point.y)}`).join(" ")}" />
${own.map((point) => `  <circle class="ours" cx="${x.place(point.x)}" cy="${y.place(point.y)}" r="3.5" />`).join("\n")}
  <line class="line" stroke-dasharray="${dash}" x1="${right + 12}" x2="${right + 42}" y1="${legend}" y2="${legend}" />
  <text x="${right + 48}" y="${legend + 4}">${escape(label)}</text>`
  })
  return svg(title, note, height, [...grid, ...drawn].join("\n"))
}
