import { describe, expect, it } from 'vitest'
import { HeadClock } from './head-clock.js'

const DAY = 86_400
const START = 1_800_000_000

/** A node and the clock of this machine, both as functions of the true time. */
class Scene {
  readonly heads = new HeadClock()
  private number = 0

  /** `ahead`: seconds by which the clock of this machine is ahead. */
  constructor(public ahead: number) {}

  /** Records a head with this block time, at the true time `at`; `isNew`: whether it is another block. */
  look(at: number, time: number, isNew = true): number {
    if (isNew) this.number += 1
    this.heads.see(this.number, time, this.moment(at))
    return this.offset(at)
  }

  offset(at: number): number {
    return this.heads.offset(this.moment(at))
  }

  private moment(at: number) {
    return { clock: START + at + this.ahead, timer: at }
  }
}

/** Offsets after each of many requests, five seconds apart. */
const offsets = (scene: Scene, time: (at: number) => number) =>
  Array.from({ length: 40 }, (_, index) => scene.look(index * 5, START + time(index * 5)))

describe('the heads of a node', () => {
  it('prove a slow clock at once, until it is set', () => {
    const scene = new Scene(-3 * DAY)
    expect(scene.look(10, START + 8)).toBe(-3 * DAY + 2)
    scene.ahead = 0
    expect(scene.offset(11)).toBe(0)
  })

  it('prove a fast clock if new heads are equally old, until it is set', () => {
    const scene = new Scene(3 * DAY)
    const found = offsets(scene, (at) => at)
    expect(found[0]).toBe(0)
    expect(found.at(-1)).toBeCloseTo(3 * DAY - 5)
    scene.ahead = 0
    expect(scene.offset(200)).toBe(0)
  })

  it.each([
    ['of a chain in time', 0, (at: number) => at],
    ['of a chain that mines rarely', 0, (at: number) => Math.floor(at / 60) * 60],
    ['of a node that catches up by jumps', 0, (at: number) => Math.min(at, at * 500 - 3 * DAY)],
    ['of a node that catches up slowly', 0, (at: number) => at * 1.5 - 3 * DAY],
    ['of a node that gives old blocks one by one', 0, (at: number) => at / 1000 - 3 * DAY],
  ])('prove nothing: those %s', (_what, ahead, time) => {
    expect(new Set(offsets(new Scene(ahead), time))).toEqual(new Set([0]))
  })

  it('prove a fast clock in 25 seconds after a rare look, if the next ones are close', () => {
    const scene = new Scene(20 * 60)
    scene.look(0, START)
    scene.look(15, START + 15)
    const found = Array.from({ length: 25 }, (_, index) => scene.look(16 + index, START + 16 + index))
    expect(found[0]).toBe(0)
    expect(found.at(-1)).toBeCloseTo(20 * 60 - 1)
  })

  it('prove nothing after a rare look, if the node catches up', () => {
    const scene = new Scene(0)
    const time = (at: number) => Math.floor(START + at * 1.5 - 3600)
    const found = [0, 15, ...Array.from({ length: 60 }, (_, index) => 16 + index)].map((at) => scene.look(at, time(at)))
    expect(new Set(found)).toEqual(new Set([0]))
  })

  it('prove nothing by the first head, or by an old head that stays', () => {
    const scene = new Scene(0)
    expect(scene.look(0, START - DAY)).toBe(0)
    for (let at = 5; at < DAY; at += 600) expect(scene.look(at, START - DAY, false)).toBe(0)
  })

  it('prove nothing after the machine slept and its timer stopped', () => {
    const scene = new Scene(0)
    scene.look(0, START)
    scene.ahead = DAY
    for (let at = 5; at < 100; at += 5) expect(scene.look(at, START + DAY + at - 2)).toBe(0)
  })
})
