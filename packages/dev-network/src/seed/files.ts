import { DAY } from '@tidegate/protocol/constants'
import { pdf } from './pdf.js'
import { type Paint, png } from './png.js'

/** A file of the sample data. */
export interface SampleFile {
  name: string
  contentType: string
  content: Buffer
}

const csv = (name: string, header: string, rows: readonly (string | number)[][]): SampleFile => ({
  name,
  contentType: 'text/csv',
  content: Buffer.from(`${[header, ...rows.map((row) => row.join(','))].join('\n')}\n`),
})

const json = (name: string, value: unknown, contentType = 'application/json'): SampleFile => ({
  name,
  contentType,
  content: Buffer.from(`${JSON.stringify(value, null, 2)}\n`),
})

const picture = (name: string, [width, height]: readonly [number, number], paint: Paint): SampleFile => ({
  name,
  contentType: 'image/png',
  content: png(width, height, paint),
})

const days = (count: number, start = Date.UTC(2026, 0, 1)) =>
  Array.from({ length: count }, (_, at) => new Date(start + at * DAY).toISOString().slice(0, 10))

/** Returns the water level in metres at an hour: the main lunar tide, with springs and neaps. */
const level = (hour: number) =>
  1.6 * Math.sin((hour * 2 * Math.PI) / 12.42) * (1 + 0.3 * Math.cos((hour * 2 * Math.PI) / 354.4)) + 2.1

/** Returns a pseudo-random number from 0 to 1 for a number. */
const noise = (at: number) => Math.abs(Math.sin(at * 12.9898) * 43_758.5453) % 1

export const tideTables = (year: number) =>
  csv(
    `tide-tables-${year}.csv`,
    'date,high_water_1,high_water_2,low_water_1,low_water_2',
    days(365, Date.UTC(year, 0, 1)).map((day, at) => {
      const heights = [0, 12.42, 6.21, 18.63].map((shift) => level(at * 24 + 3.1 + shift).toFixed(2))
      return [day, ...heights]
    }),
  )

export const waterLevels = days(31, Date.UTC(2026, 9, 1)).map((day, at) =>
  csv(
    `water-levels-${day}.csv`,
    'minute,metres',
    Array.from({ length: 1440 }, (_, minute) => [minute, level(at * 24 + minute / 60).toFixed(3)]),
  ),
)

export const harbourMap = json(
  'harbour.geojson',
  {
    type: 'FeatureCollection',
    features: Array.from({ length: 40 }, (_, at) => ({
      type: 'Feature',
      properties: { berth: `B${at + 1}`, depth: Number((6 + 8 * noise(at)).toFixed(1)) },
      geometry: { type: 'Point', coordinates: [8.55 + at / 1000, Number((53.53 + noise(at + 99) / 100).toFixed(5))] },
    })),
  },
  'application/geo+json',
)

/** Returns a colour from deep blue over white to red. */
const heat = (value: number) => {
  const warm = Math.max(0, Math.min(1, value))
  return [
    Math.round(255 * warm),
    Math.round(120 + 80 * Math.sin(warm * Math.PI)),
    Math.round(255 * (1 - warm)),
  ] as const
}
const waves = (x: number, y: number, scale: number) =>
  0.5 + 0.25 * (Math.sin(x / scale) + Math.cos((x + 2 * y) / (scale * 1.7)))

export const seaTemperature = picture('sea-surface-temperature.png', [640, 400], (x, y) =>
  heat(waves(x, y, 70) * (1 - y / 800)),
)

export const aerialTiles = Array.from({ length: 24 }, (_, tile) =>
  picture(`tile-${String(tile + 1).padStart(2, '0')}.png`, [128, 128], (x, y) => {
    const land = waves(x + tile * 128, y, 40 + tile) > 0.5
    return land ? [70 + ((x * y) % 20), 120 + tile * 3, 60] : [30, 80 + (x % 12), 140 + tile * 2]
  }),
)

export const stations = json(
  'stations.json',
  Array.from({ length: 120 }, (_, at) => ({
    id: `ST-${1000 + at}`,
    kind: ['tide gauge', 'wave buoy', 'weather mast'][at % 3],
    since: 1970 + Math.floor(noise(at) * 50),
    active: noise(at + 7) > 0.1,
  })),
)

export const surveyReport = {
  name: 'channel-survey.pdf',
  contentType: 'application/pdf',
  content: pdf('Survey of the navigation channel', [
    'Survey of the navigation channel',
    '',
    'Depths below chart datum, every hundred metres, by multibeam echo sounder.',
    '',
    ...Array.from(
      { length: 160 },
      (_, at) => `km ${(at / 10).toFixed(1)}   depth ${(11 + 4 * noise(at)).toFixed(2)} m`,
    ),
  ]),
} satisfies SampleFile

export const buoy = csv(
  'wave-buoy.csv',
  'hour,significant_height_m,period_s,direction_deg',
  Array.from({ length: 2000 }, (_, hour) => {
    const height = 1.2 + 0.9 * Math.sin(hour / 40) + noise(hour)
    return [hour, height.toFixed(2), (5 + 3 * noise(hour + 1)).toFixed(1), Math.round(360 * noise(hour + 2))]
  }),
)

export const shipMovements = csv(
  'ship-movements.csv',
  'day,ship,berth,tonnes',
  days(300).map((day, at) => [
    day,
    `Vessel ${1 + Math.floor(noise(at) * 60)}`,
    `B${1 + (at % 40)}`,
    Math.round(noise(at + 3) * 90_000),
  ]),
)

export const forecast = [
  csv(
    'wind.csv',
    'hour,knots,gusts',
    Array.from({ length: 240 }, (_, hour) => [
      hour,
      Math.round(8 + 20 * noise(hour)),
      Math.round(14 + 28 * noise(hour)),
    ]),
  ),
  json('model.json', { model: 'coast-3', resolutionKm: 1.5, hours: 240, boundary: [7.9, 53.2, 9.1, 54.1] }),
  picture('wind-field.png', [480, 320], (x, y) => heat(waves(y, x, 45))),
  {
    name: 'README.txt',
    contentType: 'text/plain',
    content: Buffer.from(
      'Wind in knots at ten metres above ground, hour by hour.\nGusts are the highest three seconds of an hour.\n',
    ),
  },
] satisfies SampleFile[]

export const logbook = {
  name: 'logbook.txt',
  contentType: 'text/plain; charset=utf-8',
  content: Buffer.from(
    days(365, Date.UTC(1926, 0, 1))
      .map(
        (day, at) =>
          `${day}  Wind ${['N', 'NE', 'E', 'SE', 'S', 'SW', 'W', 'NW'][Math.floor(noise(at) * 8)]} ${1 + Math.floor(noise(at + 5) * 9)}. ${1 + Math.floor(noise(at + 11) * 6)} ships assisted.\n`,
      )
      .join(''),
  ),
} satisfies SampleFile

export const soundLevels = csv(
  'underwater-sound.csv',
  'minute,band_63_hz_db,band_125_hz_db',
  Array.from({ length: 10_080 }, (_, minute) => [
    minute,
    (90 + 25 * noise(minute)).toFixed(1),
    (86 + 22 * noise(minute + 4)).toFixed(1),
  ]),
)
