// loaded into a process before its program: on SIGUSR2, replaces a million old objects eight times and says the largest heap
import { getHeapStatistics } from 'node:v8'

const OBJECTS = 1_000_000

function largestHeap() {
  const ring = []
  let largest = 0
  for (let made = 0; made < OBJECTS * 8; made++) {
    ring[made % OBJECTS] = [made]
    if (made % 5000 === 0) largest = Math.max(largest, getHeapStatistics().used_heap_size)
  }
  return largest
}

process.on('SIGUSR2', () => process.stderr.write(`largest heap ${largestHeap()}\n`))
