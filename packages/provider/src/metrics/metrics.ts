import type { Outcome } from '@tidegate/common'
import type { HostClass } from '@tidegate/storage'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'

/** Histogram buckets in seconds. A download ends with its last byte. */
const DURATIONS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 600]

/**
 * The Prometheus metrics of the service. Labels contain only routes, codes, chain ids and node hosts: never an
 * address or a file location, and a DID only of an asset that is taken down.
 */
export class Metrics {
  readonly registry = new Registry()
  private readonly registers = [this.registry]

  readonly requests = new Counter({
    name: 'tidegate_http_requests_total',
    help: 'Requests by status; 499 where the client left before the response.',
    labelNames: ['method', 'route', 'status'],
    registers: this.registers,
  })
  readonly duration = new Histogram({
    name: 'tidegate_http_request_duration_seconds',
    help: 'Time until the last byte of the response.',
    labelNames: ['route'],
    buckets: DURATIONS,
    registers: this.registers,
  })
  readonly refusals = new Counter({
    name: 'tidegate_refusals_total',
    help: 'Requests that were refused, by error code.',
    labelNames: ['code'],
    registers: this.registers,
  })
  readonly nonceRefusals = new Counter({
    name: 'tidegate_nonce_refusals_total',
    help: 'Signed requests refused for their nonce: already used, or malformed.',
    registers: this.registers,
  })
  readonly downloads = new Counter({
    name: 'tidegate_downloads_total',
    help: 'Downloads of files, by storage type and outcome (complete, broken).',
    labelNames: ['type', 'outcome'],
    registers: this.registers,
  })
  readonly downloadBytes = new Counter({
    name: 'tidegate_download_bytes_total',
    help: 'Bytes of files sent to consumers.',
    registers: this.registers,
  })
  readonly downloadsActive = new Gauge({
    name: 'tidegate_downloads_active',
    help: 'Downloads in flight.',
    registers: this.registers,
  })
  readonly uploadsActive = new Gauge({
    name: 'tidegate_uploads_active',
    help: 'Parts of hosted files that are being received.',
    registers: this.registers,
  })
  readonly upstream = new Counter({
    name: 'tidegate_upstream_requests_total',
    help: 'HTTP requests to storages, by class of host (gateway: of the settings, publisher: named by a file) and outcome.',
    labelNames: ['host', 'outcome'],
    registers: this.registers,
  })
  readonly storageCache = new Counter({
    name: 'tidegate_storage_cache_blocks_total',
    help: 'Blocks of STORAGE_CACHE_DIR by event: hit, miss, stored, evicted, corrupt, skipped, failed.',
    labelNames: ['event'],
    registers: this.registers,
  })
  readonly policyQuestions = new Counter({
    name: 'tidegate_policy_questions_total',
    help: 'Questions to the policy server, by action and outcome (allowed, denied, failed).',
    labelNames: ['action', 'outcome'],
    registers: this.registers,
  })
  readonly proofsRefused = new Counter({
    name: 'tidegate_proofs_refused_total',
    help: 'Proofs of delivery skipped because of the daily limit.',
    registers: this.registers,
  })
  readonly webhookEvents = new Counter({
    name: 'tidegate_webhook_events_total',
    help: 'Attempts to send an event to the receiver of webhooks (sent, failed), and events that were given up (given_up).',
    labelNames: ['outcome'],
    registers: this.registers,
  })
  readonly deliveriesDropped = new Counter({
    name: 'tidegate_deliveries_dropped_total',
    help: 'Deliveries and provider fees missing from reports: too many waited for the database, or it rejects them.',
    registers: this.registers,
  })
  readonly rpc = new Counter({
    name: 'tidegate_rpc_requests_total',
    help: 'Requests to chain nodes, by outcome.',
    labelNames: ['chain', 'node', 'outcome'],
    registers: this.registers,
  })
  readonly repeatedLogs = new Counter({
    name: 'tidegate_chain_repeated_logs_total',
    help: 'Logs that were dropped because the answer of a node repeated them exactly.',
    labelNames: ['chain', 'node'],
    registers: this.registers,
  })
  readonly skippedEvents = new Counter({
    name: 'tidegate_index_left_out_total',
    help: 'Events skipped by the index: the database or the sandbox rejects them, or no node returns them.',
    labelNames: ['chain'],
    registers: this.registers,
  })
  readonly corrections = new Counter({
    name: 'tidegate_index_corrections_total',
    help: 'Differences that a second reading of recent blocks found. The index was corrected.',
    labelNames: ['chain'],
    registers: this.registers,
  })

  constructor() {
    // alerts count these: a series without a zero at its start shows no first increase
    this.refusals.inc({ code: 'HOSTING_FULL' }, 0)
    this.webhookEvents.inc({ outcome: 'given_up' }, 0)
  }

  /** Counts a response and its duration in seconds. */
  countRequest(method: string, route: string, status: number, seconds: number): void {
    this.requests.inc({ method, route, status })
    this.duration.observe({ route }, seconds)
  }

  /** Counts a finished transfer, by storage type. */
  countDownload(type: string, complete: boolean, bytes: number): void {
    this.downloads.inc({ type, outcome: complete ? 'complete' : 'broken' })
    this.downloadBytes.inc(bytes)
  }

  /** Counts a correction of the index of a chain. */
  readonly onCorrected = (chain: number): void => this.corrections.inc({ chain })

  /** Counts a request to a storage, by outcome and class of host. */
  countUpstream(outcome: Outcome, host: HostClass): void {
    this.upstream.inc({ host, outcome })
  }
}
